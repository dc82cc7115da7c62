import {
  type Asset,
  type Channel,
  type Credential,
  DEFAULT_AUTONOMY_POLICY,
  type Member,
  type Message,
  type ReadCursor,
} from '@stoa/protocol';
import type { AssetRow, CredentialRow } from '@stoa/store';
import {
  cursorName,
  headOf,
  type ModelChannel,
  type ModelMessage,
  type ModelState,
} from './state.js';

/** How agents take part in a channel by default. */
export const asItBegins = (channelId: string) =>
  ({
    paused: false,
    autonomyPolicy: DEFAULT_AUTONOMY_POLICY,
    defaultParticipationMode: 'selected_only',
    identity: { id: `channel:${channelId}`, displayName: channelId },
    memoryScope: { namespace: `channel:${channelId}`, mode: 'metadata-only' },
  }) as const;

/** What a caller must read now. */

export function channelView(state: ModelState, channel: ModelChannel): Channel {
  const last = channel.messages.at(-1);
  const preview = last && last.deletedAt === undefined ? textOf(last)?.slice(0, 140) : undefined;
  return {
    channelId: channel.channelId,
    title: channel.title,
    createdBy: channel.createdBy,
    createdAt: channel.createdAt,
    updatedAt: Math.max(channel.updatedAt, last?.createdAt ?? 0),
    ...(channel.archivedAt === undefined ? {} : { archivedAt: channel.archivedAt }),
    memberCount: channel.members.length,
    messageCount: channel.messages.length,
    ...(last ? { lastMessageId: last.messageId } : {}),
    ...(preview === undefined ? {} : { lastMessagePreview: preview }),
    pinnedAssetIds: [...channel.pins],
    ...asItBegins(channel.channelId),
    metadata: {},
    headSeq: headOf(state, `channel:${channel.channelId}`),
  };
}

export function messageView(channel: ModelChannel, message: ModelMessage): Message {
  const replies = channel.messages.filter(
    ({ threadRootMessageId }) => threadRootMessageId === message.messageId,
  );
  const lastReply = replies.at(-1);
  const isDeleted = message.deletedAt !== undefined;
  const { reactions: _, ...fields } = message;
  return {
    ...fields,
    channelId: channel.channelId,
    inputItems: isDeleted ? [] : message.inputItems,
    replyCount: replies.length,
    ...(lastReply ? { lastReplyAt: lastReply.createdAt } : {}),
    reactions: isDeleted ? [] : reactionsView(message),
    metadata: {},
  };
}

function reactionsView({ reactions }: ModelMessage): Message['reactions'] {
  return [...new Set(reactions.map(({ emoji }) => emoji))].map((emoji) => {
    const actorIds = reactions.filter((set) => set.emoji === emoji).map(({ actorId }) => actorId);
    return { emoji, count: actorIds.length, actorIds };
  });
}

export function membersView({ members }: ModelChannel): Member[] {
  return [...members].sort((a, b) => a.joinedAt - b.joinedAt || (a.memberId < b.memberId ? -1 : 1));
}

export function cursorView(state: ModelState, humanId: string, channel: ModelChannel): ReadCursor {
  const readSeq = state.cursors.get(cursorName(humanId, channel.channelId)) ?? 0;
  const unread = channel.messages.filter(
    ({ seq, author, deletedAt }) =>
      seq > readSeq && author.id !== `human:${humanId}` && deletedAt === undefined,
  );
  return { channelId: channel.channelId, readSeq, unreadCount: unread.length };
}

export function unreadView(state: ModelState, humanId: string): ReadCursor[] {
  return [...state.channels.values()]
    .filter(({ members }) => members.some(({ actorId }) => actorId === `human:${humanId}`))
    .sort((a, b) => (a.channelId < b.channelId ? -1 : 1))
    .map((channel) => cursorView(state, humanId, channel));
}

export function assetView({ name, unusedSince: _, ...row }: AssetRow): Asset {
  return { ...row, ...(name === null ? {} : { name }) };
}

export function credentialView(row: CredentialRow): Credential {
  return {
    credentialId: row.credentialId,
    kind: row.kind as Credential['kind'],
    name: row.name,
    humanId: row.principalId,
    createdAt: row.createdAt,
    ...(row.revokedAt === null ? {} : { revokedAt: row.revokedAt }),
  };
}

/** Messages whose present text has the word in it, newest first. */
export function messagesWith(
  state: ModelState,
  word: string,
): { readonly channelId: string; readonly messageId: string }[] {
  const found = [...state.channels.values()].flatMap((channel) =>
    channel.messages
      .filter((message) => message.deletedAt === undefined && textOf(message)?.includes(word))
      .map(({ messageId, createdAt, seq }) => {
        const topicId = state.topics.get(`channel:${channel.channelId}`)?.id ?? 0;
        return { channelId: channel.channelId, messageId, createdAt, topicId, seq };
      }),
  );
  return found.sort((a, b) => b.createdAt - a.createdAt || b.topicId - a.topicId || b.seq - a.seq);
}

function textOf({ inputItems }: Pick<ModelMessage, 'inputItems'>): string | undefined {
  return inputItems.find((item) => item.type === 'text')?.text;
}
