import { z } from 'zod';
import {
  BINDING_KINDS,
  REVIEW_VERDICTS,
  WORK_CAUSES,
  WORK_STATUSES,
  WORK_TOPICS,
} from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { ActorId, ChannelId, EpochMs, MessageId, Metadata, SessionId, StimulusId } from './ids.js';
import { StimulusKind } from './stimulus.js';

/** Who began the thread: a person, a stimulus, or a stimulus that only summarises. */
export const TopicOfWork = z.enum(WORK_TOPICS);
export type TopicOfWork = z.infer<typeof TopicOfWork>;

/** In order; it goes back only if somebody reopens the work. */
export const WorkStatus = z.enum(WORK_STATUSES);
export type WorkStatus = z.infer<typeof WorkStatus>;

export const BindingKind = z.enum(BINDING_KINDS);
export type BindingKind = z.infer<typeof BindingKind>;

/** Work elsewhere whose updates belong in this thread. */
export const Binding = z.strictObject({
  bindingKind: BindingKind,
  bindingRef: z.string(),
  boundAt: EpochMs,
  latestStimulusId: StimulusId.optional(),
});
export type Binding = z.infer<typeof Binding>;

/** The newest of a stream of progress. */
export const ProgressSnapshot = z.strictObject({
  progressKey: z.string(),
  sourceKind: z.string().optional(),
  sourceRef: z.string().optional(),
  latestMessageId: MessageId,
  updatedAt: EpochMs,
  summaryDigest: z.string(),
});
export type ProgressSnapshot = z.infer<typeof ProgressSnapshot>;

export const ReviewVerdict = z.enum(REVIEW_VERDICTS);
export type ReviewVerdict = z.infer<typeof ReviewVerdict>;

const ReviewNote = z.string().max(LIMITS.descriptionChars).regex(/\S/);

export const Review = z.strictObject({
  verdict: ReviewVerdict,
  note: ReviewNote.optional(),
  by: ActorId,
  at: EpochMs,
});

/** The goal of a thread and its progress. */
export const ThreadWork = z.strictObject({
  channelId: ChannelId,
  threadRootMessageId: MessageId,
  topicKind: TopicOfWork,
  status: WorkStatus,
  ownerSessionId: SessionId.optional(),
  /** Stimuli with this dedupe key continue here while the work is open. */
  initiativeKey: z.string().optional(),
  sourceKind: z.string().optional(),
  sourceRef: z.string().optional(),
  lastStimulusId: StimulusId.optional(),
  lastStimulusKind: StimulusKind.optional(),
  lastSignalAt: EpochMs,
  lastMainPromotionAt: EpochMs.optional(),
  /** When the last follow-up was posted. */
  followedUpAt: EpochMs.optional(),
  /** When a stimulus opened its root. */
  rootPostedAt: EpochMs.optional(),
  reopenedAt: EpochMs.optional(),
  review: Review.optional(),
  supersededByMessageId: MessageId.optional(),
  bindings: z.array(Binding),
  progressSnapshots: z.array(ProgressSnapshot),
  metadata: Metadata,
});
export type ThreadWork = z.infer<typeof ThreadWork>;

/** `status` only rises unless `reopen` is set; a verdict and a supersession are posted in the thread. */
export const UpdateThreadWork = z.strictObject({
  status: WorkStatus.optional(),
  reopen: z.boolean().optional(),
  review: z.strictObject({ verdict: ReviewVerdict, note: ReviewNote.optional() }).optional(),
  supersededByMessageId: MessageId.optional(),
  ownerSessionId: SessionId.nullable().optional(),
  metadata: Metadata.optional(),
});
export type UpdateThreadWork = z.infer<typeof UpdateThreadWork>;

/** What caused a change of thread work. */
export const WorkCause = z.enum(WORK_CAUSES);
export type WorkCause = z.infer<typeof WorkCause>;
