import type { Operation } from '../operation.js';
import { decideMessageChange, decidePost } from './decide-message.js';
import { replayed } from './replayed.js';
import { cursorName, headOf, type ModelState } from './state.js';
import {
  type Asked,
  actorOf,
  done,
  inChannel,
  mayModerate,
  refused,
  spoken,
  type Verdict,
} from './verdict.js';

type Of<K extends Operation['kind']> = Asked<Extract<Operation, { kind: K }>>;

/** Returns what a write has to do. Reads and uploads write no events and are not passed here. */
export function decide(state: ModelState, asked: Asked): Verdict {
  const { operation } = asked;
  switch (operation.kind) {
    case 'create_channel':
      return decideCreate(state, asked as Of<'create_channel'>);
    case 'update_channel':
    case 'archive':
    case 'unarchive':
    case 'delete_channel':
      return decideChannelChange(state, asked as ChannelChange);
    case 'join':
      return decideJoin(state, asked as Of<'join'>);
    case 'leave':
      return decideLeave(state, asked as Of<'leave'>);
    case 'post':
      return decidePost(state, asked as Of<'post'>);
    case 'edit':
    case 'delete_message':
    case 'react':
    case 'unreact':
      return decideMessageChange(
        state,
        asked as Of<'edit' | 'delete_message' | 'react' | 'unreact'>,
      );
    case 'pin':
    case 'unpin':
      return decidePin(state, asked as Of<'pin' | 'unpin'>);
    case 'move_cursor':
      return decideCursor(state, asked as Of<'move_cursor'>);
    case 'mint': {
      const { credentialId } = asked.chosen;
      const { humanId, name } = operation;
      const data = { credentialId, name };
      return done({ topic: `human:${humanId}`, type: 'credential_created', actor: 'system', data });
    }
    case 'revoke':
      return decideRevoke(state, asked as Of<'revoke'>);
    default:
      throw new Error(`${operation.kind} writes nothing`);
  }
}

type ChannelChange = Of<'update_channel' | 'archive' | 'unarchive' | 'delete_channel'>;

function decideCreate(state: ModelState, asked: Of<'create_channel'>): Verdict {
  const { by, operation, at, chosen } = asked;
  const earlier = replayed(state, asked);
  if (earlier) return earlier;
  const channelId = operation.channelId ?? chosen.channelId ?? '';
  if (state.topics.has(`channel:${channelId}`)) return refused('channel_exists');
  const member = {
    memberId: by.id,
    memberKind: 'human_actor',
    actorId: actorOf(by),
    displayName: state.humans.get(by.id)?.displayName,
    joinedAt: at,
    metadata: {},
  };
  return done(
    inChannel(channelId, 'channel_created', { channelId, title: operation.title, metadata: {} }),
    inChannel(channelId, 'member_joined', { member }),
  );
}

function decideChannelChange(state: ModelState, { by, operation }: ChannelChange): Verdict {
  const { channelId } = operation;
  const channel = state.channels.get(channelId);
  if (!channel) return refused('channel_not_found');
  if (!mayModerate(channel, by)) return refused('forbidden');
  const isArchived = channel.archivedAt !== undefined;
  switch (operation.kind) {
    case 'update_channel':
      if (isArchived) return refused('channel_archived');
      return done(inChannel(channelId, 'channel_updated', { title: operation.title }));
    case 'archive':
      return isArchived ? done() : done(inChannel(channelId, 'channel_archived', {}));
    case 'unarchive':
      return isArchived ? done(inChannel(channelId, 'channel_unarchived', {})) : done();
    case 'delete_channel':
      return done(inChannel(channelId, 'channel_deleted', { channelId }));
  }
}

function decideJoin(state: ModelState, { by, operation, at }: Of<'join'>): Verdict {
  const { channelId, actorId } = operation;
  const channel = state.channels.get(channelId);
  if (!channel) return refused('channel_not_found');
  if (channel.archivedAt !== undefined) return refused('channel_archived');
  if (actorId !== actorOf(by) && !mayModerate(channel, by)) return refused('forbidden');
  const known = channel.members.find((member) => member.actorId === actorId);
  if (known) return done(inChannel(channelId, 'member_updated', { member: known }));
  const humanId = actorId.slice('human:'.length);
  const human = state.humans.get(humanId);
  if (!human) return refused('unknown_member');
  const member = {
    memberId: humanId,
    memberKind: 'human_actor',
    actorId,
    displayName: human.displayName,
    joinedAt: at,
    metadata: {},
  };
  return done(inChannel(channelId, 'member_joined', { member }));
}

function decideLeave(state: ModelState, { by, operation }: Of<'leave'>): Verdict {
  const { channelId, memberId } = operation;
  const channel = state.channels.get(channelId);
  if (!channel) return refused('channel_not_found');
  if (channel.archivedAt !== undefined) return refused('channel_archived');
  const member = channel.members.find((known) => known.memberId === memberId);
  if (!member) return refused('member_not_found');
  if (member.actorId !== actorOf(by) && !mayModerate(channel, by)) return refused('forbidden');
  return done(inChannel(channelId, 'member_left', { memberId }));
}

function decidePin(state: ModelState, asked: Of<'pin' | 'unpin'>): Verdict {
  const { kind, channelId, assetId } = asked.operation;
  return spoken(state, asked, channelId, (channel) => {
    if (channel.pins.includes(assetId) === (kind === 'pin')) return done();
    if (kind === 'pin' && !state.assets.has(assetId)) return refused('asset_not_found');
    const type = kind === 'pin' ? 'asset_pinned' : 'asset_unpinned';
    return done(inChannel(channelId, type, { assetId }));
  });
}

function decideCursor(state: ModelState, { by, operation }: Of<'move_cursor'>): Verdict {
  const { channelId } = operation;
  if (!state.channels.has(channelId)) return refused('channel_not_found');
  const readSeq = Math.min(operation.readSeq, headOf(state, `channel:${channelId}`));
  const known = state.cursors.get(cursorName(by.id, channelId));
  if (known !== undefined && known >= readSeq) return done();
  const data = { channelId, readSeq };
  return done({ topic: actorOf(by), type: 'read_cursor_moved', data });
}

function decideRevoke(state: ModelState, { operation }: Of<'revoke'>): Verdict {
  const { credentialId } = operation;
  const known = state.credentials.get(credentialId);
  if (known?.revokedAt !== null) return done();
  const data = { credentialId };
  return done({ topic: `human:${known.principalId}`, type: 'credential_revoked', data });
}
