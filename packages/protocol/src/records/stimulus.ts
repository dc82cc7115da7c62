import { z } from 'zod';
import {
  STIMULUS_KINDS,
  STIMULUS_REASONS,
  STIMULUS_SCOPES,
  STIMULUS_STATES,
  VISIBILITY_HINTS,
} from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { Ceiling } from './ceiling.js';
import {
  ActorId,
  ChannelId,
  EpochMs,
  MemberId,
  MessageId,
  Metadata,
  Seq,
  SessionId,
  StimulusId,
} from './ids.js';

export const StimulusKind = z.enum(STIMULUS_KINDS);
export type StimulusKind = z.infer<typeof StimulusKind>;

/** What a caller may write: a second spelling is accepted, and never returned. */
export const WrittenStimulusKind = z.enum([...STIMULUS_KINDS, 'thread_idle_follow_up']);

export const stimulusKindOf = (written: z.infer<typeof WrittenStimulusKind>): StimulusKind =>
  written === 'thread_idle_follow_up' ? 'thread_idle_followup' : written;

/** Whether it is posted in the feed or in an existing thread. */
export const StimulusScope = z.enum(STIMULUS_SCOPES);
export type StimulusScope = z.infer<typeof StimulusScope>;

/** For a stimulus of a thread: shown in the feed too (`main`), or in the thread only. */
export const VisibilityHint = z.enum(VISIBILITY_HINTS);
export type VisibilityHint = z.infer<typeof VisibilityHint>;

/**
 *   pending ◀──▶ claimed ──▶ dispatched     its message is posted
 *      │            ├──▶ coalesced          the same was posted a moment ago
 *      ├────────────┼──▶ superseded         replaced by a newer one
 *      ├────────────┼──▶ cancelled          by a person, or it may no longer be posted
 *      │            └──▶ dead_letter        posting it failed too often
 *      └──replayed by a person── dead_letter, cancelled
 */
export const StimulusState = z.enum(STIMULUS_STATES);
export type StimulusState = z.infer<typeof StimulusState>;

/** Why it was not posted. */
export const StimulusReason = z.enum(STIMULUS_REASONS);
export type StimulusReason = z.infer<typeof StimulusReason>;

const Key = z.string().min(1).max(LIMITS.stimulusKeyChars);

const asked = {
  kind: StimulusKind,
  scope: StimulusScope,
  threadRootMessageId: MessageId.optional(),
  visibilityHint: VisibilityHint,
  content: z.string().max(LIMITS.textChars).regex(/\S/),
  addressedMemberIds: z.array(MemberId).max(LIMITS.addressedMembers),
  /** What it is about, and its origin: `run`, `schedule`, … and the id. */
  sourceKind: Key.optional(),
  sourceRef: Key.optional(),
  /** Of waiting stimuli with the same key, the newest counts. For a root, the initiative it belongs to. */
  dedupeKey: Key.optional(),
  /** A stream of progress: only the newest is shown. */
  progressKey: Key.optional(),
  availableAt: EpochMs,
  expiresAt: EpochMs.optional(),
  metadata: Metadata,
};

/** The stored part of a new stimulus. */
export const NewStimulus = z.strictObject({
  stimulusId: StimulusId,
  ...asked,
  /** In whose name it is posted; absent: the system's. */
  senderSessionId: SessionId.optional(),
  /** Of the run, or for the person, that created it. */
  ceiling: Ceiling.optional(),
});
export type NewStimulus = z.infer<typeof NewStimulus>;

/** A stored reason to speak in a channel that has not been posted yet. */
export const Stimulus = NewStimulus.extend({
  channelId: ChannelId,
  seq: Seq,
  state: StimulusState,
  createdBy: ActorId,
  createdAt: EpochMs,
  attempts: z.int().min(0),
  claimedAt: EpochMs.optional(),
  dispatchedAt: EpochMs.optional(),
  /** The message that it became. */
  messageId: MessageId.optional(),
  reason: StimulusReason.optional(),
  lastError: z.string().optional(),
  /** The newer one that replaced it. */
  supersededByStimulusId: StimulusId.optional(),
});
export type Stimulus = z.infer<typeof Stimulus>;

export const CreateStimulus = z.strictObject({
  ...asked,
  kind: WrittenStimulusKind,
  scope: StimulusScope.default('channel'),
  visibilityHint: VisibilityHint.default('auto'),
  addressedMemberIds: z.array(MemberId).max(LIMITS.addressedMembers).optional(),
  availableAt: EpochMs.optional(),
  metadata: Metadata.optional(),
});
export type CreateStimulus = z.infer<typeof CreateStimulus>;
