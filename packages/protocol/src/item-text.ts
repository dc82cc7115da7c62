import type { StoredItem } from './records/message.js';

/** An item of a message, a part of a model's answer or a content block. */
interface Item {
  readonly type: string;
  readonly text?: string | undefined;
}

/** The text of a message. Items that are no text are left out. */
export const textOf = (items: readonly Item[], separator = '\n'): string =>
  items.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join(separator);

/** The text of a message with a description in the position of each asset. */
export const textWithAssets = (
  items: readonly StoredItem[],
  describe: (assetId: string) => string,
  separator = '\n',
): string =>
  items.map((item) => (item.type === 'text' ? item.text : describe(item.assetId))).join(separator);
