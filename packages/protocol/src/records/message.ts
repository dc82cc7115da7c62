import { z } from 'zod';
import { AUTHOR_KINDS } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { AssetName } from './asset.js';
import {
  ActorId,
  AssetId,
  BoardId,
  ChannelId,
  EpochMs,
  MemberId,
  MessageId,
  Metadata,
  Seq,
} from './ids.js';

const TextItem = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1).max(LIMITS.textChars),
});
const AssetReferenceItem = z.strictObject({ type: z.literal('asset_reference'), assetId: AssetId });
const InlineAssetItem = z.strictObject({
  type: z.literal('inline_asset'),
  data: z
    .string()
    .regex(/^[A-Za-z0-9+/]*={0,2}$/)
    .max(Math.ceil(LIMITS.assetBytes / 3) * 4),
  name: AssetName.optional(),
});

/** A board of the sending session; without a revision, its current one. */
export const BoardReferenceItem = z.strictObject({
  type: z.literal('board_reference'),
  boardId: BoardId,
  revision: z.int().min(1).optional(),
});

/** What a caller may send. An inline asset is stored and a board is resolved: both become references. */
export const InputItem = z.discriminatedUnion('type', [
  TextItem,
  AssetReferenceItem,
  InlineAssetItem,
  BoardReferenceItem,
]);
export type InputItem = z.infer<typeof InputItem>;

/** The content of a stored message. */
export const StoredItem = z.discriminatedUnion('type', [TextItem, AssetReferenceItem]);
export type StoredItem = z.infer<typeof StoredItem>;

export const AuthorKind = z.enum(AUTHOR_KINDS);
export type AuthorKind = z.infer<typeof AuthorKind>;

/** Stored with the message and never inferred later; keeps the author's name of that time. */
export const Author = z.strictObject({
  kind: AuthorKind,
  id: ActorId,
  displayName: z.string(),
});
export type Author = z.infer<typeof Author>;

export const Emoji = z.string().min(1).max(LIMITS.emojiChars).regex(/^\S+$/);

export const Reaction = z.strictObject({
  emoji: Emoji,
  actorIds: z.array(ActorId),
  count: z.int().min(1),
});
export type Reaction = z.infer<typeof Reaction>;

export const Message = z.strictObject({
  messageId: MessageId,
  channelId: ChannelId,
  seq: Seq,
  threadRootMessageId: MessageId.optional(),
  replyToMessageId: MessageId.optional(),
  author: Author,
  addressedMemberIds: z.array(MemberId),
  inputItems: z.array(StoredItem),
  createdAt: EpochMs,
  editedAt: EpochMs.optional(),
  deletedAt: EpochMs.optional(),
  replyCount: z.int().min(0),
  lastReplyAt: EpochMs.optional(),
  /** The newer marker of the same progress that replaces it. */
  supersededByMessageId: MessageId.optional(),
  reactions: z.array(Reaction),
  metadata: Metadata,
});
export type Message = z.infer<typeof Message>;

const content = {
  text: z.string().min(1).max(LIMITS.textChars).optional(),
  inputItems: z.array(InputItem).min(1).max(LIMITS.inputItems).optional(),
};

const ClaimedActor = z.string().max(200);

/**
 * A body may repeat who the caller is, under any of these names. They are not validated here, so that another
 * identity is refused with the right code (`identity_mismatch`).
 */
const claims = {
  sender: z.union([ClaimedActor, z.strictObject({ id: ClaimedActor })]).optional(),
  actorId: ClaimedActor.optional(),
  actor_id: ClaimedActor.optional(),
};

/** Exactly one of `text` and `inputItems`. */
export const PostMessage = z.strictObject({
  ...content,
  ...claims,
  threadRootMessageId: MessageId.optional(),
  replyToMessageId: MessageId.optional(),
  addressedMemberIds: z.array(MemberId).max(LIMITS.addressedMembers).optional(),
  metadata: Metadata.optional(),
});
export type PostMessage = z.infer<typeof PostMessage>;

export const EditMessage = z.strictObject({ ...content, ...claims });
export type EditMessage = z.infer<typeof EditMessage>;

export const ReactionChange = z.strictObject({ emoji: Emoji, ...claims });
export type ReactionChange = z.infer<typeof ReactionChange>;
