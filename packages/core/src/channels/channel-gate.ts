import { actorIdOf, type Principal, StoaError } from '@stoa/protocol';
import { lockChannel, type OpenChannelRow, openChannel, type Tx } from '@stoa/store';
import { mayModerate } from '../access/rules.js';

/** A channel whose row is locked. */
export interface LockedChannel {
  readonly topicId: number;
  readonly channelId: string;
}

/**
 * Every operation on one channel opens it with one of the functions below, which check what the caller may do.
 * Operations on all channels (the list, a search without a channel, unread counts) need no check: channels are public
 * to the people of this daemon.
 */
export interface OpenChannel extends OpenChannelRow {
  readonly channelId: string;
}

export interface JoinedChannel extends OpenChannel {
  readonly memberId: string;
  readonly memberName: string;
}

/** Any person may read a channel; a session must be a member. */
export function* channelToRead(principal: Principal, channelId: string): Tx<OpenChannel> {
  const row = yield* openChannel.first({ channelId, actorId: actorIdOf(principal) });
  const channel = found(row, channelId);
  if (principal.kind === 'session' && channel.memberId === null) {
    throw new StoaError('not_member', `This session is not a member of ${channelId}`);
  }
  return channel;
}

export function* channelToChange(principal: Principal, channelId: string): Tx<OpenChannel> {
  const row = yield* lockChannel.first({ channelId, actorId: actorIdOf(principal) });
  return found(row, channelId);
}

/** Members may post, react and pin. */
export function* channelToSpeakIn(principal: Principal, channelId: string): Tx<JoinedChannel> {
  const channel = yield* channelToChange(principal, channelId);
  if (channel.memberId === null || channel.memberName === null) {
    throw new StoaError('not_member', `Join ${channelId} first`);
  }
  return channel as JoinedChannel;
}

export function* channelToModerate(principal: Principal, channelId: string): Tx<OpenChannel> {
  const channel = yield* channelToChange(principal, channelId);
  if (!mayModerate(principal, channel.createdBy)) {
    throw new StoaError('forbidden', 'Only the creator of the channel or the owner may do this');
  }
  return channel;
}

export function assertNotArchived(channel: OpenChannel): void {
  if (channel.archivedAt === null) return;
  throw new StoaError('channel_archived', `${channel.channelId} is archived and cannot be changed`);
}

function found(row: OpenChannelRow | undefined, channelId: string): OpenChannel {
  if (!row) throw new StoaError('channel_not_found', `There is no channel ${channelId}`);
  const { topicId, createdBy, archivedAt, memberCount, sessionCount, memberId, memberName } = row;
  return {
    topicId,
    createdBy,
    archivedAt,
    memberCount,
    sessionCount,
    memberId,
    memberName,
    channelId,
  };
}
