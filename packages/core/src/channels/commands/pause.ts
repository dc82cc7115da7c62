import { type ChannelEvent, channelTopic, StoaError } from '@stoa/protocol';
import { findChannelFields, type Tx } from '@stoa/store';
import { mayModerate } from '../../access/rules.js';
import type { NewEvent } from '../../kernel/log.js';
import { CHANNEL_RESUMED } from '../context.js';
import type { ChannelCommand, CommandCall, CommandResult } from './command.js';

export const pause: ChannelCommand = {
  name: 'pause',
  what: 'give no agent a turn until /resume',
  run: (call) => setPaused(call, true),
};

export const resume: ChannelCommand = {
  name: 'resume',
  what: 'give turns again, first for messages posted during the pause',
  run: (call) => setPaused(call, false),
};

function* setPaused(call: CommandCall, paused: boolean): Tx<CommandResult> {
  const { context, by, channel, at } = call;
  if (!mayModerate(by, channel.createdBy)) {
    throw new StoaError('forbidden', 'Only the creator of the channel or the owner may do this');
  }
  const fields = yield* findChannelFields.first({ topicId: channel.topicId });
  if ((fields?.paused === 1) === paused) {
    return { line: paused ? 'The channel is already paused.' : 'The channel is not paused.' };
  }
  const event: ChannelEvent = { type: 'channel_updated', data: { paused } };
  const events: NewEvent[] = [{ topic: channelTopic(channel.channelId), event }];
  if (!paused) events.push(...(yield* context.hooks.collect(CHANNEL_RESUMED, channel, at)));
  const done = paused ? 'paused the channel' : 'resumed the channel';
  return { line: `${channel.memberName} ${done}.`, events };
}
