import { z } from 'zod';
import { ChannelId, MessageId, Seq } from './ids.js';
import { Message } from './message.js';

/** A hit names its thread and its position, so that a reader can jump there. */
export const SearchHit = z.strictObject({
  channelId: ChannelId,
  messageId: MessageId,
  seq: Seq,
  threadRootMessageId: MessageId,
  message: Message,
});
export type SearchHit = z.infer<typeof SearchHit>;
