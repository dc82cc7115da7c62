import type { Message, Stamped, StoredItem } from '@stoa/protocol';
import { textWithAssets } from '@stoa/protocol/constants';
import type { Painter } from './paint.js';
import { printable, printableLine } from './printable.js';
import { clockTime } from './times.js';

export interface MessageStyle {
  readonly paint: Painter;
  readonly now: number;
  /** Ids are long; they are shown to people who want to reply, react or edit. */
  readonly ids: boolean;
}

/** What a line shows of a message, from its record or from the event that posted it. */
interface Shown {
  readonly at: number;
  readonly messageId: string;
  readonly author: string;
  readonly isReply: boolean;
  readonly addressed: readonly string[];
  readonly body: string;
  readonly notes: readonly string[];
}

const MARGIN = '    │ ';

export function messageText(message: Message, style: MessageStyle): string {
  const isDeleted = message.deletedAt !== undefined;
  const notes = [
    ...(message.editedAt === undefined || isDeleted ? [] : ['edited']),
    ...(message.supersededByMessageId === undefined ? [] : ['superseded']),
    ...(message.replyCount > 0 ? [plural(message.replyCount, 'reply', 'replies')] : []),
    ...message.reactions.map(({ emoji, count }) => `${printableLine(emoji)} ${count}`),
  ];
  return shownText(
    {
      at: message.createdAt,
      messageId: message.messageId,
      author: message.author.displayName,
      isReply: message.threadRootMessageId !== undefined,
      addressed: message.addressedMemberIds,
      body: isDeleted ? '(deleted)' : bodyOf(message.inputItems),
      notes,
    },
    style,
  );
}

export function postedText(
  event: Extract<Stamped, { type: 'message_posted' }>,
  style: MessageStyle,
): string {
  const { messageId, author, addressedMemberIds, inputItems, threadRootMessageId } = event.data;
  return shownText(
    {
      at: event.at,
      messageId,
      author: author.displayName,
      isReply: threadRootMessageId !== undefined,
      addressed: addressedMemberIds,
      body: bodyOf(inputItems),
      notes: [],
    },
    style,
  );
}

/** Every line after the first has a margin: text cannot pretend to be another message. */
export function withMargin(text: string): string {
  return printable(text).replaceAll('\n', `\n${MARGIN}`);
}

export const bodyOf = (items: readonly StoredItem[]): string =>
  textWithAssets(items, (assetId) => `[asset ${assetId}]`);

function shownText(shown: Shown, { paint, now, ids }: MessageStyle): string {
  const to = shown.addressed.map((member) => ` → ${printableLine(member)}`).join('');
  return [
    paint.dim(clockTime(shown.at, now)),
    ...(ids ? [paint.dim(printableLine(shown.messageId))] : []),
    ...(shown.isReply ? ['↳'] : []),
    `${paint.bold(printableLine(shown.author))}${to}:`,
    withMargin(shown.body),
    ...shown.notes.map((note) => paint.dim(`[${note}]`)),
  ].join(' ');
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
