import { z } from 'zod';
import { ActorId, AssetId, ChannelId, EpochMs, MemberId, MessageId } from './ids.js';
import { AuthorKind, Emoji } from './message.js';

const Named = z.strictObject({ memberId: MemberId, name: z.string() });

/** A message of the thread as the model sees it; long ones are cut. */
const RecentMessage = z.strictObject({
  messageId: MessageId,
  /** Absent in older records. */
  authorId: ActorId.optional(),
  kind: AuthorKind,
  name: z.string(),
  at: EpochMs,
  text: z.string(),
  isCut: z.boolean(),
  /** Its attachments. */
  assetIds: z.array(AssetId).optional(),
  reactions: z.array(z.strictObject({ emoji: Emoji, count: z.int().min(1) })),
});

const PinnedAsset = z.strictObject({
  assetId: AssetId,
  name: z.string().optional(),
  mediaType: z.string(),
  bytes: z.int().min(0),
});

/**
 * The context of a turn, of bounded size for every length of the channel: the channel, its members, the last
 * messages, who was addressed and who has answered. Stored when the turn is granted.
 */
export const ChannelDelivery = z.strictObject({
  channelId: ChannelId,
  title: z.string(),
  description: z.string().optional(),
  purpose: z.string().optional(),
  /** The session itself, as a member. */
  self: Named,
  members: z.array(
    Named.extend({
      actorId: ActorId.optional(),
      kind: z.enum(['human', 'agent']),
      role: z.string().optional(),
    }),
  ),
  /** The number of members; the list may be cut. */
  memberCount: z.int().min(0),
  /** Pinned assets, oldest pin first. */
  pinned: z.array(PinnedAsset).optional(),
  /** The number of pins; the list may be cut. */
  pinnedCount: z.int().min(0).optional(),
  threadRootMessageId: MessageId,
  /** The message that its answer replies to, if that is not the origin: the message of the agent that called it. */
  replyToMessageId: MessageId.optional(),
  /** Oldest first. The message to answer is the origin, at any position. */
  recentMessages: z.array(RecentMessage),
  isAddressed: z.boolean(),
  addressed: z.array(z.string()),
  answeredBy: z.array(z.string()),
});
export type ChannelDelivery = z.infer<typeof ChannelDelivery>;
