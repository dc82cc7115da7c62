import { useSyncExternalStore } from 'react';
import { keep, kept } from '../app/kept.js';

/** Unsent text by draft key; this browser keeps it until it is sent. */
const drafts = new Map<string, string>();
const watchers = new Set<() => void>();

const nameOf = (draftKey: string): string => `draft:${draftKey}`;

function draftAt(draftKey: string): string {
  const known = drafts.get(draftKey);
  if (known !== undefined) return known;
  const text = kept(nameOf(draftKey)) ?? '';
  drafts.set(draftKey, text);
  return text;
}

function setDraft(draftKey: string, text: string): void {
  drafts.set(draftKey, text);
  keep(nameOf(draftKey), text === '' ? undefined : text);
  for (const watcher of watchers) watcher();
}

/** Puts a text that could not be sent before the text written since. */
export function putBack(draftKey: string, text: string): void {
  const since = draftAt(draftKey);
  setDraft(draftKey, since === '' ? text : `${text}\n\n${since}`);
}

/** Takes back what was sent; what was written since stays. */
export function clearSent(draftKey: string, sent: string): void {
  if (draftAt(draftKey) === sent) setDraft(draftKey, '');
}

export function useDraft(draftKey: string): [text: string, setText: (text: string) => void] {
  const text = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => draftAt(draftKey),
  );
  return [text, (next) => setDraft(draftKey, next)];
}
