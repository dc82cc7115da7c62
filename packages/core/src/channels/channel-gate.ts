import { actorIdOf, type Principal, StoaError } from '@stoa/protocol';
import { lockChannel, type OpenChannelRow, openChannel, type Tx } from '@stoa/store';
import { mayModerate } from '../access/rules.js';

/**
 * The one way to a channel that a caller names: each of these says what it lets the caller do. What
 * looks over all channels (the list, a search without a channel, what is unread) comes by without:
 * channels are public to the people of this daemon.
 */
export interface OpenChannel extends OpenChannelRow {
  readonly channelId: string;
}

export interface JoinedChannel extends OpenChannel {
  readonly memberId: string;
  readonly memberName: string;
}

/** Channels are public to the people of this daemon; a session reads where it was made a member. */
export function* channelToRead(principal: Principal, channelId: string): Tx<OpenChannel> {
  const row = yield* openChannel.first({ channelId, actorId: actorIdOf(principal) });
  const channel = found(row, channelId);
  if (principal.kind === 'session' && channel.memberId === null) {
    throw new StoaError('not_member', `This session is no member of ${channelId}`);
  }
  return channel;
}

export function* channelToChange(principal: Principal, channelId: string): Tx<OpenChannel> {
  const row = yield* lockChannel.first({ channelId, actorId: actorIdOf(principal) });
  return found(row, channelId);
}

/** Speaking, reacting and pinning are for members. */
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
  throw new StoaError('channel_archived', `${channel.channelId} is archived and takes no changes`);
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
