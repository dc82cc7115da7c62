import { z } from 'zod';
import { StampedEvent } from '../events/event.js';
import { LIMITS } from '../limits.js';
import { Channel } from '../records/channel.js';
import { Credential } from '../records/credential.js';
import { ReadCursor } from '../records/cursor.js';
import { ChannelId, EpochMs, MessageId, Seq } from '../records/ids.js';
import { Member } from '../records/member.js';
import { Message } from '../records/message.js';
import { SearchHit } from '../records/search.js';

const limit = z.int().min(1).max(LIMITS.pageSize).default(50);

/** Pages are cut by position, so concurrent posts neither skip nor repeat a row. */
export const ListChannels = z.strictObject({
  query: z.string().max(LIMITS.searchChars).optional(),
  archived: z.enum(['exclude', 'include', 'only']).default('exclude'),
  after: ChannelId.optional(),
  limit,
});
export const ChannelPage = z.strictObject({
  channels: z.array(Channel),
  nextAfter: ChannelId.optional(),
});

/** `scope=feed` lists root messages; `before` pages back, `after` and `postedSince` forward; all in log order. */
export const ListMessages = z.strictObject({
  threadRootMessageId: MessageId.optional(),
  scope: z.enum(['all', 'feed']).default('all'),
  before: Seq.optional(),
  after: Seq.optional(),
  /** The first of them is the first that was posted at this time or later. */
  postedSince: EpochMs.optional(),
  limit,
});
export const MessagePage = z.strictObject({ messages: z.array(Message), hasMore: z.boolean() });
export type MessagePage = z.infer<typeof MessagePage>;

export const MemberList = z.strictObject({ members: z.array(Member) });
export const CredentialList = z.strictObject({ tokens: z.array(Credential) });
export const UnreadList = z.strictObject({ cursors: z.array(ReadCursor) });

export const SearchQuery = z.strictObject({
  query: z.string().min(1).max(LIMITS.searchChars),
  channelId: ChannelId.optional(),
  limit: z.int().min(1).max(LIMITS.pageSize).default(20),
});
export const SearchAnswer = z.strictObject({ hits: z.array(SearchHit) });

export const ReadTopic = z.strictObject({ after: Seq.default(0), limit });
/** `oldest` is the first sequence still kept; a reader behind it has a gap. */
export const TopicPage = z.strictObject({
  events: z.array(StampedEvent),
  head: Seq,
  oldest: Seq,
});

export const FollowQuery = z.strictObject({
  topic: z.union([z.string(), z.array(z.string()).max(LIMITS.topicsPerStream)]),
  after: z.string().optional(),
});
