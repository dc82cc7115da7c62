import { useKey } from '../keys/registry.js';

const GROUP = 'Messages';

/** Moves between messages and acts on the one that has the focus; used once, by the screen of a channel. */
export function useMessageKeys(): void {
  useKey('j', { does: 'Next message', group: GROUP }, () => move(1));
  useKey('k', { does: 'Message before', group: GROUP }, () => move(-1));
  useKey('r', { does: 'Reply in the thread of the message', group: GROUP }, () => act('reply'));
  useKey('+', { does: 'React to the message', group: GROUP }, () => act('react'));
  useKey('e', { does: 'Edit the message', group: GROUP }, () => act('edit'));
  useKey('w', { does: 'Why was this said?', group: GROUP }, () => act('why'));
}

function focused(): Element | null {
  return document.activeElement?.closest('article[data-message-id]') ?? null;
}

function move(step: 1 | -1): void {
  const from = focused();
  const log = from?.closest('[role=log]') ?? document.querySelector('[role=log]');
  const all = [...(log?.querySelectorAll<HTMLElement>('article[data-message-id][tabindex]') ?? [])];
  const next = from ? all[all.indexOf(from as HTMLElement) + step] : all.at(-1);
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function act(action: string): void {
  focused()?.querySelector<HTMLElement>(`[data-action=${action}]`)?.click();
}
