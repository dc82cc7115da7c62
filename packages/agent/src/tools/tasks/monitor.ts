import {
  DEFAULT_EVENTS,
  DEFAULT_IDLE_MS,
  endsInBackground,
  LineFilter,
  MAX_EVENTS,
  MAX_IDLE_MS,
  PatternProblem,
} from '@stoa/core';
import { LIMITS, type Task } from '@stoa/protocol';
import { z } from 'zod';
import { MessageSignal } from '../../tasks/monitor/monitor-detail.js';
import type { WantedMonitor } from '../../tasks/monitor/monitors.js';
import { type Sandbox, sandboxNotes } from '../shell/sandbox.js';
import { defineTool, type Tool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';

const COMMAND_CHARS = 8_000;
const PATTERN_CHARS = 500;

const pattern = z.string().min(1).max(PATTERN_CHARS).optional();

const MonitorInput = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(COMMAND_CHARS)
    .refine((command) => !endsInBackground(command), {
      error: 'it ends in &: leave that out, a monitor does not hold you up',
    })
    .describe('Command line, run by bash in the workspace; each line it prints is an event'),
  description: z
    .string()
    .max(LIMITS.titleChars)
    .optional()
    .describe('What it is for, in a few words'),
  max_events: z
    .int()
    .min(1)
    .max(MAX_EVENTS)
    .optional()
    .describe(`It ends after so many events; ${DEFAULT_EVENTS} unless given`),
  idle_timeout_ms: z
    .int()
    .min(1)
    .max(MAX_IDLE_MS)
    .optional()
    .describe(
      `It ends when nothing was printed for so long; ${DEFAULT_IDLE_MS} unless given, at most ${MAX_IDLE_MS}`,
    ),
  include: pattern.describe('Regular expression: only lines that match it are events'),
  exclude: pattern.describe('Regular expression: lines that match it are no events'),
  signal: MessageSignal.optional().describe(
    'The command listens for this signal: send_message gives it to it',
  ),
});
type MonitorInput = z.infer<typeof MonitorInput>;

export interface MonitorOptions {
  readonly sandbox: Sandbox;
  /** Resolves when it runs and its entry is durable. */
  readonly watch: (wanted: WantedMonitor) => Promise<Task>;
}

export function createMonitor({ sandbox, watch }: MonitorOptions): Tool {
  return defineTool<MonitorInput>({
    name: 'monitor',
    description:
      'Runs a command line beside your work and tells you the lines it prints, as they come: five at ' +
      'once, then one a second; of those in between you are told how many there were. For logs and ' +
      'loops that wait for something. It ends with its command, by task_stop, after max_events, or ' +
      'when it is silent too long.',
    input: MonitorInput,
    kind: 'execute',
    title: ({ command }) => `Monitor ${command}`,
    subjects: ({ command }) => Promise.resolve([{ type: 'shell', command }]),
    async review(input, { workspace }) {
      assertPatterns(input);
      const notes = sandboxNotes(await sandbox.report());
      return { notes: [`It runs in ${workspace}.`, ...boundsOf(input), ...notes] };
    },
    async execute(input, { run, callId, workspace, signal }) {
      signal.throwIfAborted();
      assertPatterns(input);
      const { command, description = command, include, exclude, signal: messageSignal } = input;
      const { taskId, outputPath } = await watch({
        ...{ run, callId, workspace, command, description, include, exclude, messageSignal },
        maxEvents: input.max_events ?? DEFAULT_EVENTS,
        idleMs: input.idle_timeout_ms ?? DEFAULT_IDLE_MS,
      });
      return {
        text: `Watched as ${taskId}: its lines reach you as they come. All output: ${outputPath ?? ''}`,
      };
    },
  });
}

function assertPatterns(patterns: Pick<MonitorInput, 'include' | 'exclude'>): void {
  try {
    new LineFilter(patterns);
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error;
    throw new ToolFailure(`include or exclude is not a pattern that can be used: ${error.message}`);
  }
}

/** What a reviewer lets in: how many lines may reach the model, and how long it may be silent. */
function boundsOf(input: MonitorInput): string[] {
  const { max_events, idle_timeout_ms, include, exclude, signal } = input;
  const most = max_events ?? DEFAULT_EVENTS;
  const silent = (idle_timeout_ms ?? DEFAULT_IDLE_MS) / 1_000;
  return [
    `It goes on beside the work until ${most} of its lines were told, or nothing was printed for ${silent} s.`,
    ...(include === undefined ? [] : ['Only lines that match its argument include are told.']),
    ...(exclude === undefined ? [] : ['Lines that match its argument exclude are not told.']),
    ...(signal === undefined ? [] : [`Messages to it are given as ${signal}.`]),
  ];
}
