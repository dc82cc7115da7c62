import type { Ceiling, ChannelDelivery, Member, StoredItem, Turn } from '@stoa/protocol';
import {
  type ChannelFieldsRow,
  type FullMessageRow,
  findAsset,
  findMessage,
  listPins,
  listReactions,
  THREAD_PAGES,
  type Tx,
  together,
} from '@stoa/store';
import { namedMembers, sessionIdOf } from '../channels/member-name.js';
import { reactionRecords } from '../channels/records.js';
import { decode } from '../kernel/codec.js';
import { textOf } from '../kernel/item-text.js';
import type { LockedChannel } from './context.js';
import { itemsOf } from './read-thread.js';

/** The last messages of the thread that are told with a turn. */
const RECENT_MESSAGES = 12;
const RECENT_CHARS = 2_000;
/** The most members in a delivery: first those involved, then those who joined first. */
const MEMBERS_TOLD = 8;
const PINS_TOLD = 20;

/** What is not in the log yet: the message of the same commit. */
export interface Unheard {
  readonly messageId: string;
  readonly author: {
    readonly kind: 'human' | 'agent' | 'system';
    readonly id: string;
    readonly displayName: string;
  };
  readonly inputItems: readonly StoredItem[];
  readonly ceiling?: Ceiling | undefined;
  readonly at: number;
}

/** What everybody who is given a turn in a thread is told alike. */
export interface Scene {
  readonly delivery: Omit<ChannelDelivery, 'self' | 'isAddressed'>;
  readonly members: readonly Member[];
}

export function* sceneOf(
  { topicId, channelId }: LockedChannel,
  channel: ChannelFieldsRow,
  turn: Turn,
  unheard: Unheard | undefined,
): Tx<Scene> {
  const [members, recentMessages, pinned] = yield* together(
    namedMembers(topicId),
    recentMessagesIn(topicId, turn, unheard),
    pinnedIn(topicId),
  );
  const named = (sessionIds: readonly string[]): string[] =>
    members
      .filter(({ actorId }) => sessionIds.includes(sessionIdOf(actorId) ?? ''))
      .map(({ displayName }) => displayName);
  const first = new Set([...members.filter(isInvolvedIn(turn, recentMessages)), ...members]);
  const told = new Set([...first].slice(0, MEMBERS_TOLD));
  const since = recentMessages.findIndex(({ messageId }) => messageId === turn.originMessageId);
  const answers = recentMessages.slice(since + 1).filter(({ kind }) => kind === 'agent');
  return {
    members,
    delivery: {
      channelId,
      title: channel.title,
      ...(channel.description ? { description: channel.description } : {}),
      ...(channel.purpose ? { purpose: channel.purpose } : {}),
      members: members
        .filter((member) => told.has(member))
        .map(({ memberId, actorId, displayName, memberKind, role }) => ({
          memberId,
          actorId,
          name: displayName,
          kind: memberKind === 'session' ? ('agent' as const) : ('human' as const),
          ...(role === undefined ? {} : { role }),
        })),
      memberCount: members.length,
      ...pinned,
      threadRootMessageId: turn.threadRootMessageId,
      recentMessages,
      addressed: named(turn.selected),
      answeredBy: [...new Set(answers.map(({ name }) => name))],
    },
  };
}

/** Whether somebody is addressed or called here, or was heard. */
function isInvolvedIn(
  { selected, called }: Turn,
  recentMessages: readonly RecentMessage[],
): (member: Member) => boolean {
  const names = new Set(recentMessages.map(({ name }) => name));
  const sessions = new Set([...selected, ...called]);
  return ({ actorId, displayName }) =>
    sessions.has(sessionIdOf(actorId) ?? '') || names.has(displayName);
}

export function deliveryFor(
  { delivery, members }: Scene,
  turn: Turn,
  memberId: string,
  sessionId: string,
): ChannelDelivery {
  const name = members.find((member) => member.memberId === memberId)?.displayName ?? memberId;
  const isCalled = turn.called.includes(sessionId);
  const isAddressed = isCalled || turn.selected.includes(sessionId);
  const { calledByMessageId } = turn;
  return {
    ...delivery,
    ...(isCalled && calledByMessageId !== undefined ? { replyToMessageId: calledByMessageId } : {}),
    self: { memberId, name },
    isAddressed,
  };
}

type Pinned = Pick<ChannelDelivery, 'pinned' | 'pinnedCount'>;

function* pinnedIn(topicId: number): Tx<Pinned> {
  const pins = yield* listPins.all({ topicId });
  const told = pins.slice(0, PINS_TOLD);
  const assets = yield* together(...told.map(({ assetId }) => findAsset.first({ assetId })));
  const pinned = assets.flatMap((asset) => {
    if (!asset) return [];
    const { assetId, name, mediaType, bytes } = asset;
    return [{ assetId, mediaType, bytes, ...(name === null ? {} : { name }) }];
  });
  return pins.length === 0 ? {} : { pinned, pinnedCount: pins.length };
}

type RecentMessage = ChannelDelivery['recentMessages'][number];

/** The root, then the last of what followed, and what is said in this very commit. */
function* recentMessagesIn(
  topicId: number,
  turn: Turn,
  unheard: Unheard | undefined,
): Tx<RecentMessage[]> {
  const rootMessageId = turn.threadRootMessageId;
  const seq = Number.MAX_SAFE_INTEGER;
  const [root, replies] = yield* together(
    findMessage.first({ topicId, messageId: rootMessageId }),
    THREAD_PAGES.before.rows.all({ topicId, rootMessageId, seq, limit: RECENT_MESSAGES }),
  );
  const rows = [...(root ? [root] : []), ...replies.reverse()];
  // A marker that a newer one stands for is no news.
  const news = rows.filter(({ supersededBy }) => supersededBy === null);
  const recentMessages: RecentMessage[] = yield* together(...news.map(recentMessage));
  if (unheard) {
    const { messageId, author, inputItems, at } = unheard;
    recentMessages.push({
      messageId,
      authorId: author.id,
      kind: author.kind,
      name: author.displayName,
      at,
      ...said(inputItems),
      reactions: [],
    });
  }
  return recentMessages.length > RECENT_MESSAGES
    ? [...recentMessages.slice(0, 1), ...recentMessages.slice(1 - RECENT_MESSAGES)]
    : recentMessages;
}

function* recentMessage(row: FullMessageRow): Tx<RecentMessage> {
  const { topicId, messageId } = row;
  const { author } = decode(row.posted);
  const reactions = reactionRecords(yield* listReactions.all({ topicId, messageId }));
  return {
    messageId,
    authorId: author.id,
    kind: author.kind,
    name: author.displayName,
    at: row.createdAt,
    ...said(itemsOf(row)),
    reactions: reactions.map(({ emoji, count }) => ({ emoji, count })),
  };
}

function said(items: readonly StoredItem[]): Pick<RecentMessage, 'text' | 'isCut' | 'assetIds'> {
  const text = textOf(items);
  const isCut = text.length > RECENT_CHARS;
  const assetIds = items.flatMap((item) => (item.type === 'asset_reference' ? [item.assetId] : []));
  return {
    text: isCut ? text.slice(0, RECENT_CHARS).toWellFormed() : text,
    isCut,
    ...(assetIds.length === 0 ? {} : { assetIds }),
  };
}
