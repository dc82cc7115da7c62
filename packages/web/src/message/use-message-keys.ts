import { useKey } from '../keys/registry.js';
import { inView } from './in-view.js';

/** What they are listed under; they are about the message that has the focus. */
export const MESSAGE_KEYS = 'Messages';

/** Moves between messages and acts on the one that has the focus; used once, by the screen of a channel. */
export function useMessageKeys(): void {
  useKey('j', { does: 'Next message', group: MESSAGE_KEYS }, () => move(1));
  useKey('k', { does: 'Previous message', group: MESSAGE_KEYS }, () => move(-1));
  useKey('r', { does: 'Reply in the thread of the message', group: MESSAGE_KEYS }, () =>
    act('reply'),
  );
  useKey('+', { does: 'React to the message', group: MESSAGE_KEYS }, () => act('react'));
  useKey('e', { does: 'Edit the message', group: MESSAGE_KEYS }, () => act('edit'));
  useKey('w', { does: 'Why did they speak?', group: MESSAGE_KEYS }, () => act('why'));
}

function focused(): Element | null {
  return document.activeElement?.closest('article[data-message-id]') ?? null;
}

function move(step: 1 | -1): void {
  const from = focused();
  const log = from?.closest('[role=log]') ?? shownLog();
  const all = [...(log?.querySelectorAll<HTMLElement>('article[data-message-id][tabindex]') ?? [])];
  const next = from ? all[all.indexOf(from as HTMLElement) + step] : entry(log, all, step);
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Where who has no message yet begins: at what they see, and from the side that they go in from. */
function entry(
  log: Element | null | undefined,
  all: readonly HTMLElement[],
  step: 1 | -1,
): HTMLElement | undefined {
  if (!log) return undefined;
  const seen = inView(all, (each) => each.getBoundingClientRect(), log.getBoundingClientRect());
  return step === 1 ? seen[0] : seen.at(-1);
}

/** On a narrow screen a thread covers the feed. */
function shownLog(): Element | undefined {
  return [...document.querySelectorAll('[role=log]')].find((each) =>
    each.checkVisibility({ visibilityProperty: true }),
  );
}

function act(action: string): void {
  focused()?.querySelector<HTMLElement>(`[data-action=${action}]`)?.click();
}
