import type { Message } from '@stoa/protocol';

/** What a message says in words. */
export function textOf({ inputItems }: Pick<Message, 'inputItems'>): string {
  return inputItems.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n\n');
}
