import {
  type ChannelDelivery,
  type EventData,
  type Member,
  type StoredItem,
  type Turn,
  textOf,
} from '@stoa/protocol';
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
import type { LockedChannel } from '../channels/channel-gate.js';
import { namedMembers, sessionIdOf } from '../channels/member-name.js';
import { reactionRecords } from '../channels/records.js';
import { decode } from '../kernel/codec.js';
import { itemsOf } from './read-thread.js';

/** The most messages of the thread in a delivery: the root and the newest. */
const MAX_MESSAGES = 12;
const MAX_MESSAGE_CHARS = 2_000;
/** The most members in a delivery: first those involved, then those who joined first. */
const MAX_MEMBERS = 8;
const MAX_PINS = 20;

/** A message of the same commit, which the store does not have yet. */
export type PendingMessage = EventData<'message_posted'> & { readonly at: number };

/** The parts of a delivery that are the same for all sessions that get the turn. */
export interface ThreadContext {
  readonly delivery: Omit<ChannelDelivery, 'self' | 'isAddressed'>;
  readonly members: readonly Member[];
}

export function* readThreadContext(
  { topicId, channelId }: LockedChannel,
  channel: ChannelFieldsRow,
  turn: Turn,
  pendingMessage: PendingMessage | undefined,
): Tx<ThreadContext> {
  const [members, recentMessages, pinned] = yield* together(
    namedMembers(topicId),
    recentMessagesOf(topicId, turn, pendingMessage),
    pinnedIn(topicId),
  );
  const namesOf = (sessionIds: readonly string[]): string[] =>
    members
      .filter(({ actorId }) => sessionIds.includes(sessionIdOf(actorId) ?? ''))
      .map(({ displayName }) => displayName);
  const involvedFirst = new Set([
    ...members.filter(isInvolvedIn(turn, recentMessages)),
    ...members,
  ]);
  const listed = new Set([...involvedFirst].slice(0, MAX_MEMBERS));
  const origin = recentMessages.findIndex(({ messageId }) => messageId === turn.originMessageId);
  const answers = recentMessages.slice(origin + 1).filter(({ kind }) => kind === 'agent');
  return {
    members,
    delivery: {
      channelId,
      title: channel.title,
      ...(channel.description ? { description: channel.description } : {}),
      ...(channel.purpose ? { purpose: channel.purpose } : {}),
      members: members
        .filter((member) => listed.has(member))
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
      addressed: namesOf(turn.selected),
      answeredBy: [...new Set(answers.map(({ name }) => name))],
    },
  };
}

/** Whether a member is addressed or called in a turn, or wrote one of the messages. */
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
  { delivery, members }: ThreadContext,
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

function* pinnedIn(topicId: number): Tx<Pick<ChannelDelivery, 'pinned' | 'pinnedCount'>> {
  const pins = yield* listPins.all({ topicId });
  const assets = yield* together(
    ...pins.slice(0, MAX_PINS).map(({ assetId }) => findAsset.first({ assetId })),
  );
  const pinned = assets.flatMap((asset) => {
    if (!asset) return [];
    const { assetId, name, mediaType, bytes } = asset;
    return [{ assetId, mediaType, bytes, ...(name === null ? {} : { name }) }];
  });
  return pins.length === 0 ? {} : { pinned, pinnedCount: pins.length };
}

type RecentMessage = ChannelDelivery['recentMessages'][number];

/** The root, the newest replies, and the message of this commit. */
function* recentMessagesOf(
  topicId: number,
  turn: Turn,
  pendingMessage: PendingMessage | undefined,
): Tx<RecentMessage[]> {
  const rootMessageId = turn.threadRootMessageId;
  const seq = Number.MAX_SAFE_INTEGER;
  const [root, replies] = yield* together(
    findMessage.first({ topicId, messageId: rootMessageId }),
    THREAD_PAGES.before.rows.all({ topicId, rootMessageId, seq, limit: MAX_MESSAGES }),
  );
  const rows = [...(root ? [root] : []), ...replies.reverse()];
  // A progress marker that a newer one replaced is out of date.
  const current = rows.filter(({ supersededBy }) => supersededBy === null);
  const messages: RecentMessage[] = yield* together(...current.map(recentMessage));
  if (pendingMessage) {
    const { messageId, author, inputItems, at } = pendingMessage;
    messages.push({
      messageId,
      authorId: author.id,
      kind: author.kind,
      name: author.displayName,
      at,
      ...contentOf(inputItems),
      reactions: [],
    });
  }
  if (messages.length <= MAX_MESSAGES) return messages;
  return [...messages.slice(0, 1), ...messages.slice(1 - MAX_MESSAGES)];
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
    ...contentOf(itemsOf(row)),
    reactions: reactions.map(({ emoji, count }) => ({ emoji, count })),
  };
}

function contentOf(
  items: readonly StoredItem[],
): Pick<RecentMessage, 'text' | 'isCut' | 'assetIds'> {
  const text = textOf(items);
  const isCut = text.length > MAX_MESSAGE_CHARS;
  const assetIds = items.flatMap((item) => (item.type === 'asset_reference' ? [item.assetId] : []));
  return {
    text: isCut ? text.slice(0, MAX_MESSAGE_CHARS).toWellFormed() : text,
    isCut,
    ...(assetIds.length === 0 ? {} : { assetIds }),
  };
}
