import { z } from 'zod';
import { ActorId, AssetId, ChannelId, EpochMs, MemberId, MessageId } from './ids.js';
import { AuthorKind, Emoji } from './message.js';

const Named = z.strictObject({ memberId: MemberId, name: z.string() });

/** A message of the thread as whoever is to speak is shown it; long ones are cut. */
const RecentMessage = z.strictObject({
  messageId: MessageId,
  /** Records of older messages lack it. */
  authorId: ActorId.optional(),
  kind: AuthorKind,
  name: z.string(),
  at: EpochMs,
  text: z.string(),
  isCut: z.boolean(),
  /** What is attached to it. */
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
 * What a session is told with its turn, whatever the length of the channel: where it is, who is there,
 * what was said last, who was meant and who has answered. Taken when the turn was given, and kept.
 */
export const ChannelDelivery = z.strictObject({
  channelId: ChannelId,
  title: z.string(),
  description: z.string().optional(),
  purpose: z.string().optional(),
  /** The one it is here. */
  self: Named,
  members: z.array(
    Named.extend({
      actorId: ActorId.optional(),
      kind: z.enum(['human', 'agent']),
      role: z.string().optional(),
    }),
  ),
  /** How many members there are; the list may be cut. */
  memberCount: z.int().min(0),
  /** What is pinned here, oldest pin first. */
  pinned: z.array(PinnedAsset).optional(),
  /** How much is pinned; the list may be cut. */
  pinnedCount: z.int().min(0).optional(),
  threadRootMessageId: MessageId,
  /** What its answer is a reply to, where that is not the message it is asked to answer: who called it said this. */
  replyToMessageId: MessageId.optional(),
  /** Oldest first; the message to answer is the origin, wherever it stands. */
  recentMessages: z.array(RecentMessage),
  isAddressed: z.boolean(),
  addressed: z.array(z.string()),
  answeredBy: z.array(z.string()),
});
export type ChannelDelivery = z.infer<typeof ChannelDelivery>;
