import { Cadence, ChannelId, LIMITS, MemberId, MessageId, VisibilityHint } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from './tool.js';

const Key = z.string().min(1).max(LIMITS.stimulusKeyChars);

const StimulusInput = z.strictObject({
  content: z.string().max(LIMITS.textChars).regex(/\S/).describe('What is to be said'),
  kind: z
    .enum(['agent_idea', 'result_summary'])
    .default('agent_idea')
    .describe('A result completes the work of its thread and wakes nobody'),
  scope: z
    .enum(['channel', 'thread'])
    .default('channel')
    .describe('A subject of its own in the feed, or something for a thread that is there'),
  channelId: ChannelId.optional().describe('Else the one you have the turn in'),
  threadRootMessageId: MessageId.optional().describe('Else, with scope thread, the one you are in'),
  visibilityHint: VisibilityHint.default('auto').describe('main: show it in the feed as well'),
  addressedMemberIds: z.array(MemberId).max(LIMITS.addressedMembers).optional(),
  dedupeKey: Key.optional().describe('Names the initiative: it is not begun twice'),
  progressKey: Key.optional().describe('Names a stream of progress: the newest is shown'),
});
type StimulusInput = z.infer<typeof StimulusInput>;

export const createChannelStimulus = defineTool<StimulusInput>({
  name: 'create_channel_stimulus',
  description:
    'Suggests something to be said in a channel without anybody having asked: an idea, or a result. ' +
    'Where and when it is posted, in your name, is decided by the channel.',
  input: StimulusInput,
  kind: 'speak',
  title: ({ content }) => `Suggest: ${content}`,
  subjects: () => Promise.resolve([{ type: 'none' }]),
  async execute(input, { run, callId }) {
    const { stimulusId } = await run.stimuli.create(callId, input);
    return { text: `Put in as ${stimulusId}. The channel decides where and when it is posted.` };
  },
});

const ScheduleInput = z.strictObject({
  title: z.string().max(LIMITS.titleChars).regex(/\S/).describe('What lists and threads show'),
  task: z.string().min(1).max(LIMITS.textChars).describe('What you are to be told each time'),
  cadence: Cadence,
  maxFires: z.int().min(1).max(1_000_000).optional().describe('End it after so many'),
});
type ScheduleInput = z.infer<typeof ScheduleInput>;

/** A schedule costs later, when nobody watches: people are asked unless the mode allows it. */
export const createSchedule = defineTool<ScheduleInput>({
  name: 'create_schedule',
  description:
    'Gives yourself work by the clock. Made while you have the turn in a channel, it belongs to that ' +
    'thread: each time it fires, and what came of it, is told there.',
  input: ScheduleInput,
  kind: 'other',
  title: ({ title }) => `Schedule: ${title}`,
  subjects: () => Promise.resolve([{ type: 'none' }]),
  async execute({ task: text, ...schedule }, { run, callId }) {
    const { scheduleId } = await run.schedules.create(callId, { ...schedule, text });
    return { text: `Made as ${scheduleId}.` };
  },
});
