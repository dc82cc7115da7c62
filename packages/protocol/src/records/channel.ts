import { z } from 'zod';
import { LIMITS } from '../limits.js';
import {
  AutonomyPolicy,
  AutonomyPolicyChange,
  AutonomyPolicySettings,
  ParticipationMode,
} from './autonomy.js';
import {
  ChannelIdentityConfig,
  ChannelMemoryScopeConfig,
  ChannelRuntimeIdentity,
  ChannelRuntimeMemoryScope,
} from './identity.js';
import { ActorId, AssetId, ChannelId, EpochMs, MessageId, Metadata, Seq } from './ids.js';

export const Title = z.string().max(LIMITS.titleChars).regex(/\S/);
export const Description = z.string().max(LIMITS.descriptionChars);

/** A durable public conversation with members and one append-only log. */
export const Channel = z.strictObject({
  channelId: ChannelId,
  title: Title,
  description: Description.optional(),
  purpose: Description.optional(),
  createdBy: ActorId,
  createdAt: EpochMs,
  updatedAt: EpochMs,
  archivedAt: EpochMs.optional(),
  memberCount: z.int().min(0),
  messageCount: z.int().min(0),
  lastMessageId: MessageId.optional(),
  lastMessagePreview: z.string().optional(),
  pinnedAssetIds: z.array(AssetId),
  /** Nobody gets a turn until it is resumed; messages of people wait. */
  paused: z.boolean(),
  autonomyPolicy: AutonomyPolicy,
  /** The mode of session members without their own. */
  defaultParticipationMode: ParticipationMode,
  /** The identity of agents here; fields that are not configured follow from the id of the channel. */
  identity: ChannelRuntimeIdentity,
  /** The namespace of their memory here, and whether it is isolated. */
  memoryScope: ChannelRuntimeMemoryScope,
  /** Settings that have no effect. */
  warnings: z.array(z.string()).optional(),
  metadata: Metadata,
  headSeq: Seq,
});
export type Channel = z.infer<typeof Channel>;

export const CreateChannel = z.strictObject({
  channelId: ChannelId.optional(),
  title: Title,
  description: Description.optional(),
  purpose: Description.optional(),
  autonomyPolicy: AutonomyPolicySettings.optional(),
  defaultParticipationMode: ParticipationMode.optional(),
  identity: ChannelIdentityConfig.optional(),
  memoryScope: ChannelMemoryScopeConfig.optional(),
  metadata: Metadata.optional(),
});
export type CreateChannel = z.infer<typeof CreateChannel>;

/** An absent field is not changed; `null` clears it. Identity and memory scope are replaced as a whole. */
export const UpdateChannel = z.strictObject({
  title: Title.optional(),
  description: Description.nullable().optional(),
  purpose: Description.nullable().optional(),
  paused: z.boolean().optional(),
  autonomyPolicy: AutonomyPolicyChange.optional(),
  defaultParticipationMode: ParticipationMode.nullable().optional(),
  identity: ChannelIdentityConfig.nullable().optional(),
  memoryScope: ChannelMemoryScopeConfig.nullable().optional(),
  metadata: Metadata.optional(),
});
export type UpdateChannel = z.infer<typeof UpdateChannel>;
