import { LIMITS, type StoredItem } from '@stoa/protocol';

/** Splits a text into the items of a message. Text beyond the maximum number of items is left out. */
export function textOutput(text: string): StoredItem[] {
  if (text.trim() === '') return [];
  const items: StoredItem[] = [];
  for (let at = 0; at < text.length && items.length < LIMITS.inputItems; ) {
    let end = Math.min(at + LIMITS.textChars, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    items.push({ type: 'text', text: text.slice(at, end) });
    at = end;
  }
  return items;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
