import type { ChannelEvent, StoredItem } from '@stoa/protocol';
import {
  countMember,
  countReply,
  deleteAttachments,
  deleteChannel,
  deleteMember,
  deletePin,
  deleteReaction,
  findChannelFields,
  findMember,
  insertChannel,
  insertErasure,
  insertMessage,
  insertPin,
  insertReaction,
  listAttachments,
  markAssetUsed,
  raiseFloor,
  releaseAsset,
  setChannelArchived,
  setMessageBody,
  setMessageDeleted,
  type Tx,
  updateChannel,
  upsertMember,
} from '@stoa/store';
import { holdReferences } from '../assets/content.js';
import type { Position } from '../kernel/entry.js';
import type { Projections } from '../kernel/module.js';
import { changedSettings, settingsOf } from './channel-settings.js';
import { participationText } from './participation.js';

/**
 * Updates the tables of a channel for each event. It decides nothing and reads only those tables, so that a replay
 * gives the same tables. Assets belong to no channel: whether they are in use is stored with them and is not part of a
 * replay.
 */
export const CHANNEL_EVENTS: Projections = {
  *message_posted(position, event) {
    const { topicId, seq, at } = position;
    const { messageId, threadRootMessageId, author, inputItems } = event.data;
    const rootMessageId = threadRootMessageId ?? null;
    yield* insertMessage.run({ topicId, seq, messageId, rootMessageId, authorId: author.id, at });
    if (rootMessageId) yield* countReply.run({ topicId, rootMessageId, at });
    yield* holdReferences(topicId, messageId, inputItems);
  },
  *message_edited(position, event) {
    const { topicId, seq, at } = position;
    const { messageId, inputItems } = event.data;
    yield* setMessageBody.run({ topicId, messageId, seq, at });
    yield* reattach(position, messageId, inputItems);
  },
  *message_deleted(position, event) {
    const { topicId, at } = position;
    yield* setMessageDeleted.run({ topicId, messageId: event.data.messageId, at });
    yield* reattach(position, event.data.messageId, []);
  },
  *reaction_set(position, event) {
    const { topicId, seq } = position;
    yield* insertReaction.run({ topicId, seq, ...event.data });
  },
  *reaction_unset(position, event) {
    const { topicId } = position;
    yield* deleteReaction.run({ topicId, ...event.data });
  },
  *member_joined(position, event) {
    const { topicId, at } = position;
    const { member } = event.data;
    yield* upsertMember.run(memberRow(topicId, member));
    const sessions = member.memberKind === 'session' ? 1 : 0;
    yield* countMember.run({ topicId, change: 1, sessions, at });
  },
  *member_updated(position, event) {
    const { topicId } = position;
    yield* upsertMember.run(memberRow(topicId, event.data.member));
  },
  *member_left(position, event) {
    const { topicId, at } = position;
    const { memberId } = event.data;
    const left = yield* findMember.first({ topicId, memberId });
    yield* deleteMember.run({ topicId, memberId });
    const sessions = left?.memberKind === 'session' ? -1 : 0;
    yield* countMember.run({ topicId, change: -1, sessions, at });
  },
  *asset_pinned(position, event) {
    const { topicId, seq } = position;
    yield* insertPin.run({ topicId, seq, assetId: event.data.assetId });
    yield* markAssetUsed.run({ assetId: event.data.assetId });
  },
  *asset_unpinned(position, event) {
    const { topicId, at } = position;
    yield* deletePin.run({ topicId, assetId: event.data.assetId });
    yield* releaseAsset.run({ assetId: event.data.assetId, at });
  },
  *channel_created(position, event) {
    const { topicId, at } = position;
    const { channelId, title, description, purpose, metadata, ...settings } = event.data;
    yield* insertChannel.run({
      topicId,
      channelId,
      title,
      description: description ?? null,
      purpose: purpose ?? null,
      metadata: JSON.stringify(metadata),
      settings: JSON.stringify(settings),
      createdBy: position.actor,
      at,
    });
  },
  *channel_updated(position, event) {
    yield* changeChannel(position, event.data);
  },
  *channel_archived(position) {
    const { topicId, at } = position;
    yield* setChannelArchived.run({ topicId, archivedAt: at, at });
  },
  *channel_unarchived(position) {
    const { topicId, at } = position;
    yield* setChannelArchived.run({ topicId, archivedAt: null, at });
  },
  *channel_deleted(position) {
    const { topicId, seq } = position;
    yield* deleteChannel.run({ topicId });
    yield* raiseFloor.run({ id: topicId, floor: seq - 1 });
    yield* insertErasure.run({ topicId });
  },
};

function* reattach(
  { topicId, at }: Position,
  messageId: string,
  items: readonly StoredItem[],
): Tx<void> {
  const before = yield* listAttachments.all({ topicId, messageId });
  if (before.length > 0) yield* deleteAttachments.run({ topicId, messageId });
  yield* holdReferences(topicId, messageId, items);
  for (const { assetId } of before) yield* releaseAsset.run({ assetId, at });
}

function* changeChannel(
  { topicId, at }: Position,
  change: Extract<ChannelEvent, { type: 'channel_updated' }>['data'],
): Tx<void> {
  const now = yield* findChannelFields.first({ topicId });
  if (!now) return;
  yield* updateChannel.run({
    topicId,
    at,
    title: change.title ?? now.title,
    description: change.description === undefined ? now.description : change.description,
    purpose: change.purpose === undefined ? now.purpose : change.purpose,
    metadata: change.metadata === undefined ? now.metadata : JSON.stringify(change.metadata),
    paused: change.paused === undefined ? now.paused : Number(change.paused),
    settings: JSON.stringify(changedSettings(settingsOf(now.settings), change)),
  });
}

type Member = Extract<ChannelEvent, { type: 'member_joined' }>['data']['member'];

function memberRow(topicId: number, member: Member) {
  const { memberId, memberKind, actorId, displayName, joinedAt } = member;
  return {
    topicId,
    memberId,
    memberKind,
    actorId,
    displayName,
    joinedAt,
    role: member.role ?? null,
    metadata: JSON.stringify(member.metadata),
    settings: participationText(member),
  };
}
