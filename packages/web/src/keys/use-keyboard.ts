import { useEffect } from 'react';
import { isForTyping, written } from './chord.js';
import { shortcutFor } from './registry.js';

/** How long the second key of two (`g c`) is waited for. */
const SEQUENCE_MS = 1_000;

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Listens for the shortcuts of the page; used once, by the shell. */
export function useKeyboard(): void {
  useEffect(() => {
    let before: { readonly chord: string; readonly at: number } | undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const chord = written(event, isMac);
      if (isForTyping(chord, isText(event.target)) || isDialogOpen()) return;
      const isSecond = before !== undefined && event.timeStamp - before.at < SEQUENCE_MS;
      const found =
        (isSecond ? shortcutFor(`${before?.chord ?? ''} ${chord}`) : undefined) ??
        shortcutFor(chord);
      before = found ? undefined : { chord, at: event.timeStamp };
      if (!found) return;
      event.preventDefault();
      found.run(event);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

function isText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** A modal dialog has the keyboard to itself, also when nothing in it has the focus. */
function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}
