import {
  type Channel,
  type EventData,
  LIMITS,
  type Member,
  type Message,
  type Reaction,
} from '@stoa/protocol';
import type { ChannelListRow, FullMessageRow, MemberRow, ReactionRow } from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { LogEntry } from '../kernel/entry.js';
import { cutText } from '../kernel/short-text.js';
import { scopeFields } from './channel-scope.js';
import { defaultModeOf, policyOf, settingsOf } from './channel-settings.js';
import { participationOf } from './participation.js';

const PREVIEW_CHARS = 140;

export function messageRecord(
  channelId: string,
  row: FullMessageRow,
  reactions: readonly Reaction[],
): Message {
  const posted = decode(row.posted);
  const items = row.edited === null ? posted.inputItems : decode(row.edited).inputItems;
  const deleted = row.deletedAt !== null;
  return {
    messageId: row.messageId,
    channelId,
    seq: row.seq,
    ...(posted.threadRootMessageId ? { threadRootMessageId: posted.threadRootMessageId } : {}),
    ...(posted.replyToMessageId ? { replyToMessageId: posted.replyToMessageId } : {}),
    author: posted.author,
    addressedMemberIds: posted.addressedMemberIds,
    inputItems: deleted ? [] : items,
    createdAt: row.createdAt,
    ...(row.editedAt === null ? {} : { editedAt: row.editedAt }),
    ...(row.deletedAt === null ? {} : { deletedAt: row.deletedAt }),
    replyCount: row.replyCount,
    ...(row.lastReplyAt === null ? {} : { lastReplyAt: row.lastReplyAt }),
    ...(row.supersededBy === null ? {} : { supersededByMessageId: row.supersededBy }),
    reactions: deleted ? [] : [...reactions],
    metadata: deleted ? {} : posted.metadata,
  };
}

/** A message when it was posted, which is also the answer to a repeated idempotency key. */
export function postedRecord(
  channelId: string,
  { seq, at }: Pick<LogEntry, 'seq' | 'at'>,
  posted: EventData<'message_posted'>,
): Message {
  return {
    messageId: posted.messageId,
    channelId,
    seq,
    ...(posted.threadRootMessageId ? { threadRootMessageId: posted.threadRootMessageId } : {}),
    ...(posted.replyToMessageId ? { replyToMessageId: posted.replyToMessageId } : {}),
    author: posted.author,
    addressedMemberIds: posted.addressedMemberIds,
    inputItems: posted.inputItems,
    createdAt: at,
    replyCount: 0,
    reactions: [],
    metadata: posted.metadata,
  };
}

/** Grouped by emoji in the order of first use. Long lists of actors are cut; the counts are exact. */
export function reactionRecords(rows: readonly ReactionRow[]): Reaction[] {
  const byEmoji = new Map<string, string[]>();
  for (const { emoji, actorId } of rows) {
    const actors = byEmoji.get(emoji);
    if (actors) actors.push(actorId);
    else byEmoji.set(emoji, [actorId]);
  }
  return [...byEmoji].map(([emoji, actors]) => ({
    emoji,
    count: actors.length,
    actorIds: actors.slice(0, LIMITS.reactionActorsShown),
  }));
}

export function memberRecord(row: MemberRow): Member {
  return {
    memberId: row.memberId,
    memberKind: row.memberKind as Member['memberKind'],
    actorId: row.actorId,
    displayName: row.displayName,
    ...(row.role === null ? {} : { role: row.role }),
    ...participationOf(row.settings),
    joinedAt: row.joinedAt,
    metadata: decode(row.metadata),
  };
}

export function channelRecord(row: ChannelListRow, pinnedAssetIds: readonly string[]): Channel {
  const settings = settingsOf(row.settings);
  return {
    channelId: row.channelId,
    title: row.title,
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.purpose === null ? {} : { purpose: row.purpose }),
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    updatedAt: Math.max(row.updatedAt, row.lastMessageAt ?? 0),
    ...(row.archivedAt === null ? {} : { archivedAt: row.archivedAt }),
    memberCount: row.memberCount,
    messageCount: row.messageCount ?? 0,
    ...(row.lastMessageId === null ? {} : { lastMessageId: row.lastMessageId }),
    ...previewOf(row),
    pinnedAssetIds: [...pinnedAssetIds],
    paused: row.paused === 1,
    autonomyPolicy: policyOf(settings),
    defaultParticipationMode: defaultModeOf(settings),
    ...scopeFields(row.channelId, settings),
    metadata: decode(row.metadata),
    headSeq: row.head,
  };
}

function previewOf(row: ChannelListRow): { lastMessagePreview?: string } {
  if (row.lastBody === null || row.lastDeletedAt !== null) return {};
  const { inputItems } = decode(row.lastBody);
  const text = inputItems.find((item) => item.type === 'text')?.text;
  return text === undefined ? {} : { lastMessagePreview: cutText(text, PREVIEW_CHARS) };
}
