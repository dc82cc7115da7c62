import { z } from 'zod';
import {
  AutonomyPolicyChange,
  AutonomyPolicySettings,
  ParticipationMode,
} from '../records/autonomy.js';
import { requested } from '../records/ceiling.js';
import { Description, Title } from '../records/channel.js';
import { ChannelIdentityConfig, ChannelMemoryScopeConfig } from '../records/identity.js';
import {
  ActorId,
  AssetId,
  ChannelId,
  EpochMs,
  MemberId,
  MessageId,
  Metadata,
  ObservationSourceId,
  StimulusId,
} from '../records/ids.js';
import { Member } from '../records/member.js';
import { Author, Emoji, StoredItem } from '../records/message.js';
import { NewObservation, ObservationSourceSettings } from '../records/observation.js';
import { NewStimulus, StimulusReason } from '../records/stimulus.js';
import { ThreadWork, WorkCause } from '../records/thread-work.js';
import { TurnDecision } from '../records/turn.js';
import { defineTopic, event } from './define-topic.js';

/** Everything that can happen in a channel. The channel's tables are a replay of these. */
export const ChannelEvent = z.lazy(() =>
  z.discriminatedUnion('type', [
    event('channel_created', {
      channelId: ChannelId,
      title: Title,
      description: Description.optional(),
      purpose: Description.optional(),
      autonomyPolicy: AutonomyPolicySettings.optional(),
      defaultParticipationMode: ParticipationMode.optional(),
      identity: ChannelIdentityConfig.optional(),
      memoryScope: ChannelMemoryScopeConfig.optional(),
      metadata: Metadata,
    }),
    event('channel_updated', {
      title: Title.optional(),
      description: Description.nullable().optional(),
      purpose: Description.nullable().optional(),
      paused: z.boolean().optional(),
      autonomyPolicy: AutonomyPolicyChange.optional(),
      defaultParticipationMode: ParticipationMode.nullable().optional(),
      identity: ChannelIdentityConfig.nullable().optional(),
      memoryScope: ChannelMemoryScopeConfig.nullable().optional(),
      metadata: Metadata.optional(),
    }),
    event('channel_archived', {}),
    event('channel_unarchived', {}),
    event('channel_deleted', { channelId: ChannelId }),
    event('member_joined', { member: Member }),
    event('member_updated', { member: Member }),
    event('member_left', { memberId: MemberId }),
    event('message_posted', {
      messageId: MessageId,
      threadRootMessageId: MessageId.optional(),
      replyToMessageId: MessageId.optional(),
      author: Author,
      addressedMemberIds: z.array(MemberId),
      inputItems: z.array(StoredItem),
      metadata: Metadata,
      /** Whose words it quotes, and the ceiling of the run that wrote it, which also limits a turn that it opens. */
      ...requested,
    }),
    event('message_edited', { messageId: MessageId, inputItems: z.array(StoredItem) }),
    event('message_deleted', { messageId: MessageId }),
    event('reaction_set', { messageId: MessageId, emoji: Emoji, actorId: ActorId }),
    event('reaction_unset', { messageId: MessageId, emoji: Emoji, actorId: ActorId }),
    z.strictObject({ type: z.literal('turn_decided'), data: TurnDecision }),
    z.strictObject({ type: z.literal('stimulus_created'), data: NewStimulus }),
    event('stimulus_claimed', {
      stimulusId: StimulusId,
      attempt: z.int().min(1),
      daemonId: z.string(),
    }),
    event('stimulus_deferred', {
      stimulusId: StimulusId,
      availableAt: EpochMs,
      attempts: z.int().min(0),
      reason: StimulusReason,
      error: z.string().optional(),
    }),
    event('stimulus_dispatched', {
      stimulusId: StimulusId,
      messageId: MessageId,
      threadRootMessageId: MessageId,
      /** The previous marker of the same progress. */
      supersedesMessageId: MessageId.optional(),
    }),
    event('stimulus_settled', {
      stimulusId: StimulusId,
      state: z.enum(['coalesced', 'superseded', 'cancelled', 'dead_letter']),
      reason: StimulusReason,
      error: z.string().optional(),
      byStimulusId: StimulusId.optional(),
      messageId: MessageId.optional(),
    }),
    event('stimulus_replayed', { stimulusId: StimulusId, availableAt: EpochMs }),
    z.strictObject({
      type: z.literal('observation_source_changed'),
      data: ObservationSourceSettings,
    }),
    event('observation_secret_rotated', { sourceId: ObservationSourceId }),
    event('observation_source_deleted', { sourceId: ObservationSourceId }),
    z.strictObject({ type: z.literal('observation_received'), data: NewObservation }),
    event('thread_work_changed', { cause: WorkCause, work: ThreadWork }),
    event('asset_pinned', { assetId: AssetId }),
    event('asset_unpinned', { assetId: AssetId }),
  ]),
);
export type ChannelEvent = z.infer<typeof ChannelEvent>;

export const channelTopic = defineTopic('channel', ChannelEvent);
