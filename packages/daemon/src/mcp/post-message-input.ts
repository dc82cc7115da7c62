import { ChannelId, LIMITS, MemberId, MessageId } from '@stoa/protocol';
import { z } from 'zod';

export const messageText = z.string().min(1).max(LIMITS.textChars);

/** The same key and arguments have one effect, however often they are sent. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/)
  .optional()
  .describe('Send the same key when you try again: it then happens once');

export const PostMessageInput = z.strictObject({
  channelId: ChannelId,
  text: messageText,
  threadRootMessageId: MessageId.optional().describe('Answer in this thread'),
  replyToMessageId: MessageId.optional(),
  addressedMemberIds: z.array(MemberId).max(LIMITS.addressedMembers).optional(),
  idempotencyKey,
});
