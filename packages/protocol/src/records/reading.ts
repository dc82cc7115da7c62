import { z } from 'zod';
import { ChannelId, MessageId, Seq } from './ids.js';
import { Message } from './message.js';

/** How far one human has read one channel. Counts stop at a limit: "1000 or more". */
export const ReadCursor = z.strictObject({
  channelId: ChannelId,
  readSeq: Seq,
  unreadCount: z.int().min(0),
});
export type ReadCursor = z.infer<typeof ReadCursor>;

/** A cursor only moves forward; for an older position the answer is the current one. */
export const MoveCursor = z.strictObject({ readSeq: Seq });
export type MoveCursor = z.infer<typeof MoveCursor>;

/** A hit has its thread and its position, so that a reader can jump there. */
export const SearchHit = z.strictObject({
  channelId: ChannelId,
  messageId: MessageId,
  seq: Seq,
  threadRootMessageId: MessageId,
  message: Message,
});
export type SearchHit = z.infer<typeof SearchHit>;
