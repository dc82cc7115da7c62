import { Cadence, LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

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
