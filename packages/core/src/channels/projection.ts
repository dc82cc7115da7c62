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
  insertAttachment,
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
import type { Place } from '../log/entry.js';
import { projectObservation } from '../observations/projection.js';
import { projectStimulus } from '../stimuli/projection.js';
import { projectDecision } from '../turns/projection.js';
import { projectWork } from '../work/projection.js';
import { changedSettings, settingsOf } from './channel-settings.js';
import { participationText } from './participation.js';

/**
 * What one event does to the tables of its channel. It decides nothing and reads nothing but those
 * tables, so that replaying a log from zero gives the same tables. Assets belong to no channel: that
 * they are used, or no longer, is noted with them and not part of a replay.
 */
export function* projectChannelEvent(place: Place, event: ChannelEvent): Tx<void> {
  const { topicId, seq, at } = place;
  switch (event.type) {
    case 'message_posted': {
      const { messageId, threadRootMessageId, author, inputItems } = event.data;
      const rootMessageId = threadRootMessageId ?? null;
      yield* insertMessage.run({ topicId, seq, messageId, rootMessageId, authorId: author.id, at });
      if (rootMessageId) yield* countReply.run({ topicId, rootMessageId, at });
      yield* attach(topicId, messageId, inputItems);
      return;
    }
    case 'message_edited': {
      const { messageId, inputItems } = event.data;
      yield* setMessageBody.run({ topicId, messageId, seq, at });
      yield* reattach(place, messageId, inputItems);
      return;
    }
    case 'message_deleted':
      yield* setMessageDeleted.run({ topicId, messageId: event.data.messageId, at });
      yield* reattach(place, event.data.messageId, []);
      return;
    case 'reaction_set':
      yield* insertReaction.run({ topicId, seq, ...event.data });
      return;
    case 'reaction_unset':
      yield* deleteReaction.run({ topicId, ...event.data });
      return;
    case 'member_joined': {
      const { member } = event.data;
      yield* upsertMember.run(memberRow(topicId, member));
      const sessions = member.memberKind === 'session' ? 1 : 0;
      yield* countMember.run({ topicId, change: 1, sessions, at });
      return;
    }
    case 'member_updated':
      yield* upsertMember.run(memberRow(topicId, event.data.member));
      return;
    case 'member_left': {
      const { memberId } = event.data;
      const left = yield* findMember.first({ topicId, memberId });
      yield* deleteMember.run({ topicId, memberId });
      const sessions = left?.memberKind === 'session' ? -1 : 0;
      yield* countMember.run({ topicId, change: -1, sessions, at });
      return;
    }
    case 'turn_decided':
      yield* projectDecision(place, event.data);
      return;
    case 'stimulus_created':
    case 'stimulus_claimed':
    case 'stimulus_deferred':
    case 'stimulus_dispatched':
    case 'stimulus_settled':
    case 'stimulus_replayed':
      yield* projectStimulus(place, event);
      return;
    case 'observation_source_changed':
    case 'observation_secret_rotated':
    case 'observation_source_deleted':
    case 'observation_received':
      yield* projectObservation(place, event);
      return;
    case 'thread_work_changed':
      yield* projectWork(place, event.data.work);
      return;
    case 'asset_pinned':
      yield* insertPin.run({ topicId, seq, assetId: event.data.assetId });
      yield* markAssetUsed.run({ assetId: event.data.assetId });
      return;
    case 'asset_unpinned':
      yield* deletePin.run({ topicId, assetId: event.data.assetId });
      yield* releaseAsset.run({ assetId: event.data.assetId, at });
      return;
    case 'channel_created': {
      const { channelId, title, description, purpose, metadata, ...settings } = event.data;
      yield* insertChannel.run({
        topicId,
        channelId,
        title,
        description: description ?? null,
        purpose: purpose ?? null,
        metadata: JSON.stringify(metadata),
        settings: JSON.stringify(settings),
        createdBy: place.actor,
        at,
      });
      return;
    }
    case 'channel_updated':
      yield* changeChannel(place, event.data);
      return;
    case 'channel_archived':
      yield* setChannelArchived.run({ topicId, archivedAt: at, at });
      return;
    case 'channel_unarchived':
      yield* setChannelArchived.run({ topicId, archivedAt: null, at });
      return;
    case 'channel_deleted':
      yield* deleteChannel.run({ topicId });
      yield* raiseFloor.run({ id: topicId, floor: seq - 1 });
      yield* insertErasure.run({ topicId });
      return;
  }
}

function* attach(topicId: number, messageId: string, items: readonly StoredItem[]): Tx<void> {
  for (const item of items) {
    if (item.type !== 'asset_reference') continue;
    yield* insertAttachment.run({ topicId, messageId, assetId: item.assetId });
    yield* markAssetUsed.run({ assetId: item.assetId });
  }
}

function* reattach(
  { topicId, at }: Place,
  messageId: string,
  items: readonly StoredItem[],
): Tx<void> {
  const before = yield* listAttachments.all({ topicId, messageId });
  if (before.length > 0) yield* deleteAttachments.run({ topicId, messageId });
  yield* attach(topicId, messageId, items);
  for (const { assetId } of before) yield* releaseAsset.run({ assetId, at });
}

function* changeChannel(
  { topicId, at }: Place,
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
