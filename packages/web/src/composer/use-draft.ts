import { useEffect, useState } from 'react';
import { keep, kept } from '../app/kept.js';

/** What is being written in one place; this browser remembers it until it is sent. */
export function useDraft(draftKey: string): [text: string, setText: (text: string) => void] {
  const key = `draft:${draftKey}`;
  const [text, setText] = useState(() => kept(key) ?? '');
  useEffect(() => keep(key, text === '' ? undefined : text), [key, text]);
  return [text, setText];
}
