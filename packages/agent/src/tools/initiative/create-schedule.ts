import type { RunContext } from '@stoa/core';
import { Cadence, LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool, type Tool } from '../tool.js';

const ScheduleInput = z.strictObject({
  title: z.string().max(LIMITS.titleChars).regex(/\S/).describe('What lists and threads show'),
  task: z.string().min(1).max(LIMITS.textChars).describe('What you are to be told each time'),
  cadence: Cadence,
  maxFires: z.int().min(1).max(1_000_000).optional().describe('End it after so many'),
});
type ScheduleInput = z.infer<typeof ScheduleInput>;

export interface WantedSchedule {
  readonly run: RunContext;
  /** One call makes one, however often it is tried. */
  readonly callId: string;
  readonly input: ScheduleInput;
}

/** Resolves when it is durable, with what to tell the agent. Throws a StoaError otherwise. */
export type MakeSchedule = (schedule: WantedSchedule) => Promise<string>;

/** It costs later, when nobody is looking: people are asked, unless the mode says otherwise. */
export function createSchedule(make: MakeSchedule): Tool {
  return defineTool<ScheduleInput>({
    name: 'create_schedule',
    description:
      'Gives yourself work by the clock. Made while you have the turn in a channel, it belongs to that ' +
      'thread: each time it fires, and what came of it, is told there.',
    input: ScheduleInput,
    kind: 'other',
    title: ({ title }) => `Schedule: ${title}`,
    subjects: () => Promise.resolve([{ type: 'none' }]),
    async execute(input, { run, callId }) {
      return { text: await make({ run, callId, input }) };
    },
  });
}
