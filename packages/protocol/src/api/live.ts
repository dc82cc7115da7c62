import { z } from 'zod';
import { StampedEvent } from '../events/event.js';
import { TopicName } from '../events/topic.js';
import { MemberId, MessageId, RunId, Seq } from '../records/ids.js';

/** What a client may say on `/v1/stream`. `after` is the last sequence it has; absent means "from now". */
export const StreamRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('subscribe'), topic: TopicName, after: Seq.optional() }),
  z.strictObject({ type: z.literal('unsubscribe'), topic: TopicName }),
]);
export type StreamRequest = z.infer<typeof StreamRequest>;

/**
 * What the daemon says. After `subscribed` come the missed events in order, then live ones.
 * `gap`, by its reason: `trimmed`, events between what the reader has and `oldest` are no longer kept;
 * `ahead`, the reader has more than the log, which was restored from an older copy; `slow_reader`, the
 * reader did not keep up and is cut off. `text_chunk` is what a run is writing: it is not numbered and
 * not kept, `offset` says where in the text of the step it belongs: what was there from that place on is
 * replaced. Who comes late gets all so far. `draft` is the same of what an agent who has the turn in a
 * channel is about to say there; `draft_ended` ends it, with the message if it became one. `closing`: the daemon or the credential ends, the reader did
 * not keep up, or (`unavailable`) the log cannot be read at the moment.
 */
export const StreamFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('subscribed'),
    topic: TopicName,
    after: Seq,
    head: Seq,
    oldest: Seq,
  }),
  z.strictObject({ type: z.literal('event'), event: StampedEvent }),
  z.strictObject({
    type: z.literal('gap'),
    topic: TopicName,
    after: Seq,
    oldest: Seq,
    reason: z.enum(['trimmed', 'ahead', 'slow_reader']),
  }),
  z.strictObject({
    type: z.literal('text_chunk'),
    topic: TopicName,
    runId: RunId,
    step: z.int().min(0),
    offset: z.int().min(0),
    text: z.string(),
  }),
  z.strictObject({
    type: z.literal('draft'),
    topic: TopicName,
    runId: RunId,
    memberId: MemberId,
    displayName: z.string(),
    threadRootMessageId: MessageId,
    replyToMessageId: MessageId,
    offset: z.int().min(0),
    text: z.string(),
  }),
  z.strictObject({
    type: z.literal('draft_ended'),
    topic: TopicName,
    runId: RunId,
    messageId: MessageId.optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribed'), topic: TopicName }),
  z.strictObject({
    type: z.literal('error'),
    topic: TopicName.optional(),
    code: z.string(),
    detail: z.string(),
  }),
  z.strictObject({
    type: z.literal('closing'),
    reason: z.enum(['shutdown', 'revoked', 'slow_reader', 'unavailable']),
  }),
]);
export type StreamFrame = z.infer<typeof StreamFrame>;
