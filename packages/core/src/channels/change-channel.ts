import {
  actorIdOf,
  type Channel,
  type ChannelEvent,
  channelTopic,
  type Principal,
  StoaError,
  type UpdateChannel,
} from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import { defined } from '../kernel/defined.js';
import type { Hook } from '../kernel/hooks.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { assertNotArchived, channelToModerate, type OpenChannel } from './channel-gate.js';
import {
  CHANNEL_DELETING,
  CHANNEL_RESUMED,
  CHANNEL_UNARCHIVED,
  type ChannelContext,
} from './context.js';
import { warnOfMode } from './create-channel.js';
import { getChannel } from './read-channels.js';

export async function updateChannel(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  request: UpdateChannel,
): Promise<Channel> {
  const { title, description, purpose, metadata, paused } = request;
  const { autonomyPolicy, defaultParticipationMode, identity, memoryScope } = request;
  const data = defined({
    paused,
    autonomyPolicy,
    defaultParticipationMode,
    identity,
    memoryScope,
    title,
    description,
    purpose,
    metadata: metadata && admitMetadata(metadata),
  });
  if (Object.keys(data).length === 0) {
    throw new StoaError('invalid_request', 'Nothing to change', [
      { path: 'body', message: 'at least one field' },
    ]);
  }
  await change(
    context,
    principal,
    channelId,
    (channel) => {
      assertNotArchived(channel);
      return { type: 'channel_updated', data };
    },
    paused === false ? CHANNEL_RESUMED : undefined,
  );
  warnOfMode(context, channelId, request);
  return getChannel(context, principal, channelId);
}

/** Changes nothing if the channel is already in that state. */
export async function setArchived(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  archived: boolean,
): Promise<Channel> {
  await change(
    context,
    principal,
    channelId,
    (channel) => {
      if ((channel.archivedAt !== null) === archived) return undefined;
      return { type: archived ? 'channel_archived' : 'channel_unarchived', data: {} };
    },
    archived ? undefined : CHANNEL_UNARCHIVED,
  );
  return getChannel(context, principal, channelId);
}

/** Deletes the log of the channel too; the sweeper removes the rows gradually. */
export async function deleteChannel(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
): Promise<void> {
  await change(
    context,
    principal,
    channelId,
    () => ({ type: 'channel_deleted', data: { channelId } }),
    CHANNEL_DELETING,
  );
}

function change(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  decide: (channel: OpenChannel) => ChannelEvent | undefined,
  hook?: Hook<[channel: OpenChannel, at: number], Tx<readonly NewEvent[]>>,
): Promise<void> {
  const topic = channelTopic(channelId);
  return context.log.write({
    actor: actorIdOf(principal),
    lane: topic,
    open: () => channelToModerate(principal, channelId),
    *decide(channel, at): Tx<Decision<void>> {
      const event = decide(channel);
      const events: NewEvent[] = event ? [{ topic, event }] : [];
      if (event && hook) events.push(...(yield* context.hooks.collect(hook, channel, at)));
      return { events, answer: () => undefined };
    },
  });
}
