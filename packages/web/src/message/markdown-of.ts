import type { Message } from '@stoa/protocol';
import { textOf } from '@stoa/protocol/constants';

/** The text of a message as Markdown: each item is a paragraph. */
export const markdownOf = ({ inputItems }: Pick<Message, 'inputItems'>): string =>
  textOf(inputItems, '\n\n');
