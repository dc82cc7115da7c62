import { shorten } from './width.js';

/** What a list shows of a prompt. */
export function titleOf(text: string): string {
  const [first = ''] = text.trim().split('\n');
  return shorten(first.trim(), 80) || 'untitled';
}
