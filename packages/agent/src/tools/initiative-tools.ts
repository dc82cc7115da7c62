import { Cadence, ChannelId, LIMITS, MemberId, MessageId, VisibilityHint } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from './tool.js';

const Key = z.string().min(1).max(LIMITS.stimulusKeyChars);

const StimulusInput = z.strictObject({
  content: z.string().max(LIMITS.textChars).regex(/\S/).describe('The message'),
  kind: z
    .enum(['agent_idea', 'result_summary'])
    .default('agent_idea')
    .describe('A result completes the work of its thread and wakes no agent'),
  scope: z
    .enum(['channel', 'thread'])
    .default('channel')
    .describe('A new subject in the feed, or a message in an existing thread'),
  channelId: ChannelId.optional().describe('By default the channel of your turn'),
  threadRootMessageId: MessageId.optional().describe(
    'With scope thread; by default the thread of your turn',
  ),
  visibilityHint: VisibilityHint.default('auto').describe('main: also show it in the feed'),
  addressedMemberIds: z.array(MemberId).max(LIMITS.addressedMembers).optional(),
  dedupeKey: Key.optional().describe('Names the initiative, which is started only once'),
  progressKey: Key.optional().describe(
    'Names a series of progress reports, of which the newest is shown',
  ),
});

export const createChannelStimulus = defineTool({
  name: 'create_channel_stimulus',
  description:
    'Suggests a message for a channel that nobody asked for: an idea or a result. The channel decides ' +
    'where and when it is posted in your name.',
  input: StimulusInput,
  kind: 'speak',
  title: ({ content }) => `Suggest: ${content}`,
  subjects: () => [{ type: 'none' }],
  async execute(input, { run, callId }) {
    const { stimulusId } = await run.stimuli.create(callId, input);
    return { text: `Stored as ${stimulusId}. The channel decides where and when it is posted.` };
  },
});

const ScheduleInput = z.strictObject({
  title: z.string().max(LIMITS.titleChars).regex(/\S/).describe('Shown in lists and threads'),
  task: z.string().min(1).max(LIMITS.textChars).describe('The instruction that you get each time'),
  cadence: Cadence,
  maxFires: z.int().min(1).max(1_000_000).optional().describe('Ends after this many times'),
});

/** Needs an approval unless the mode allows it, because a schedule causes costs later, unattended. */
export const createSchedule = defineTool({
  name: 'create_schedule',
  description:
    'Schedules work for yourself. If you create it during a turn in a channel, it belongs to that thread, ' +
    'where each firing and its result are reported.',
  input: ScheduleInput,
  kind: 'other',
  title: ({ title }) => `Schedule: ${title}`,
  subjects: () => [{ type: 'none' }],
  async execute({ task: text, ...schedule }, { run, callId }) {
    const { scheduleId } = await run.schedules.create(callId, { ...schedule, text });
    return { text: `Created as ${scheduleId}.` };
  },
});
