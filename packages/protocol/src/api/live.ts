import { z } from 'zod';
import type { STREAM_FRAME_TYPES } from '../enumerations.js';
import { CLOSING_REASONS, GAP_REASONS } from '../enumerations.js';
import { StampedEvent } from '../events/event.js';
import { TopicName } from '../events/topic.js';
import { MemberId, MessageId, RunId, Seq } from '../records/ids.js';

/** What a client may send on `/v1/stream`. `after` is the last sequence it has; absent means "from now". */
export const StreamRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('subscribe'), topic: TopicName, after: Seq.optional() }),
  z.strictObject({ type: z.literal('unsubscribe'), topic: TopicName }),
]);
export type StreamRequest = z.infer<typeof StreamRequest>;

type FrameType = (typeof STREAM_FRAME_TYPES)[number];

const frame = <const T extends FrameType, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), ...shape });

/**
 * What the daemon sends. After `subscribed` the missed events follow in order, then live ones.
 *
 *   gap          `trimmed`: events between the reader's position and `oldest` are no longer kept; `ahead`: the
 *                reader has more than the log, which was restored from an older copy; `slow_reader`: the reader
 *                did not keep up and is disconnected
 *   text_chunk   text that a run is writing; neither numbered nor kept. It replaces the text of the step from
 *                `offset` on. Late subscribers receive the text so far
 *   draft        the same for the message that an agent with the turn in a channel is writing; `draft_ended`
 *                ends it, with the id of the message if it became one
 *   closing      the daemon stops, the credential ends, the reader did not keep up, or (`unavailable`) the log
 *                cannot be read at the moment
 */
export const StreamFrame = z.discriminatedUnion('type', [
  frame('subscribed', { topic: TopicName, after: Seq, head: Seq, oldest: Seq }),
  frame('event', { event: StampedEvent }),
  frame('gap', { topic: TopicName, after: Seq, oldest: Seq, reason: z.enum(GAP_REASONS) }),
  frame('text_chunk', {
    topic: TopicName,
    runId: RunId,
    step: z.int().min(0),
    offset: z.int().min(0),
    text: z.string(),
  }),
  frame('draft', {
    topic: TopicName,
    runId: RunId,
    memberId: MemberId,
    displayName: z.string(),
    threadRootMessageId: MessageId,
    replyToMessageId: MessageId,
    offset: z.int().min(0),
    text: z.string(),
  }),
  frame('draft_ended', { topic: TopicName, runId: RunId, messageId: MessageId.optional() }),
  frame('unsubscribed', { topic: TopicName }),
  frame('error', { topic: TopicName.optional(), code: z.string(), detail: z.string() }),
  frame('closing', { reason: z.enum(CLOSING_REASONS) }),
]);
export type StreamFrame = z.infer<typeof StreamFrame>;
