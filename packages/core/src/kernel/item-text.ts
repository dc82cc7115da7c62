import type { InputItem, StoredItem } from '@stoa/protocol';

/** The words of a message. */
export const textOf = (items: readonly StoredItem[]): string =>
  items.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');

/** Of white space alone nobody sees that it was said. */
export const isSomething = (item: InputItem): boolean =>
  item.type !== 'text' || item.text.trim() !== '';
