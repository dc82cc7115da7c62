import type { ChannelEvent, HumanEvent } from '@stoa/protocol';
import {
  cursorName,
  type ModelChannel,
  type ModelEvent,
  type ModelMessage,
  type ModelState,
} from './state.js';

/** What an event that was committed does to the model. */
export function applyEvent(state: ModelState, event: ModelEvent): void {
  const topic = state.topics.get(event.topic);
  if (!topic) throw new Error(`the model has no topic ${event.topic}`);
  topic.events.push(event);
  if (!event.topic.startsWith('channel:')) {
    changePerson(state, event);
    return;
  }
  const channelId = event.topic.slice('channel:'.length);
  const change = { type: event.type, data: event.data } as ChannelEvent;
  if (change.type === 'channel_created') {
    state.channels.set(channelId, newChannel(event, change.data));
    return;
  }
  if (change.type === 'channel_deleted') {
    state.channels.delete(channelId);
    topic.floor = event.seq - 1;
    return;
  }
  const channel = state.channels.get(channelId);
  if (!channel) throw new Error(`${event.type} in ${channelId}, which was deleted`);
  changeChannel(channel, event, change);
}

function changePerson(state: ModelState, event: ModelEvent): void {
  const humanId = event.topic.slice('human:'.length);
  const change = { type: event.type, data: event.data } as HumanEvent;
  if (change.type === 'read_cursor_moved') {
    state.cursors.set(cursorName(humanId, change.data.channelId), change.data.readSeq);
  }
  if (change.type === 'credential_revoked') {
    const credential = state.credentials.get(change.data.credentialId);
    if (credential) credential.revokedAt = event.at;
  }
}

function newChannel(
  { actor, at }: ModelEvent,
  { channelId, title }: { channelId: string; title: string },
): ModelChannel {
  return {
    channelId,
    title,
    createdBy: actor,
    createdAt: at,
    updatedAt: at,
    members: [],
    messages: [],
    pins: [],
  };
}

type Change = Exclude<ChannelEvent, { type: 'channel_created' | 'channel_deleted' }>;

function changeChannel(channel: ModelChannel, { seq, at }: ModelEvent, change: Change): void {
  switch (change.type) {
    case 'channel_updated':
      channel.title = change.data.title ?? channel.title;
      channel.updatedAt = at;
      return;
    case 'channel_archived':
      channel.archivedAt = at;
      channel.updatedAt = at;
      return;
    case 'channel_unarchived':
      channel.archivedAt = undefined;
      channel.updatedAt = at;
      return;
    case 'member_joined':
      channel.members.push(change.data.member);
      channel.updatedAt = at;
      return;
    case 'member_updated':
      channel.members = channel.members.map((member) =>
        member.memberId === change.data.member.memberId ? change.data.member : member,
      );
      return;
    case 'member_left':
      channel.members = channel.members.filter(({ memberId }) => memberId !== change.data.memberId);
      channel.updatedAt = at;
      return;
    case 'turn_decided':
    case 'stimulus_created':
    case 'stimulus_claimed':
    case 'stimulus_deferred':
    case 'stimulus_dispatched':
    case 'stimulus_replayed':
    case 'stimulus_settled':
    case 'thread_work_changed':
    case 'observation_source_changed':
    case 'observation_secret_rotated':
    case 'observation_source_deleted':
    case 'observation_received':
      // No session is a member here: what follows from one is simulated with turns.
      return;
    case 'asset_pinned':
      channel.pins.push(change.data.assetId);
      return;
    case 'asset_unpinned':
      channel.pins = channel.pins.filter((assetId) => assetId !== change.data.assetId);
      return;
    case 'message_posted': {
      const { metadata: _, ...posted } = change.data;
      channel.messages.push({ ...posted, seq, createdAt: at, reactions: [] } as ModelMessage);
      return;
    }
    case 'message_edited':
      Object.assign(messageOf(channel, change.data.messageId), {
        inputItems: change.data.inputItems,
        editedAt: at,
      });
      return;
    case 'message_deleted':
      messageOf(channel, change.data.messageId).deletedAt = at;
      return;
    case 'reaction_set': {
      const { messageId, emoji, actorId } = change.data;
      messageOf(channel, messageId).reactions.push({ emoji, actorId });
      return;
    }
    case 'reaction_unset': {
      const { messageId, emoji, actorId } = change.data;
      const { reactions } = messageOf(channel, messageId);
      const at = reactions.findIndex((known) => known.emoji === emoji && known.actorId === actorId);
      if (at < 0) throw new Error(`a reaction that was not there was taken from ${messageId}`);
      reactions.splice(at, 1);
      return;
    }
  }
}

function messageOf(channel: ModelChannel, messageId: string): ModelMessage {
  const message = channel.messages.find((known) => known.messageId === messageId);
  if (!message) throw new Error(`${messageId} is not in ${channel.channelId}`);
  return message;
}
