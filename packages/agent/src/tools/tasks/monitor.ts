import {
  DEFAULT_EVENTS,
  DEFAULT_IDLE_MS,
  endsInBackground,
  LineFilter,
  MAX_EVENTS,
  MAX_IDLE_MS,
  PatternProblem,
} from '@stoa/core';
import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { MessageSignal, type Monitors } from '../../tasks/monitor/monitors.js';
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
      error: 'it ends in &: leave that out, a monitor does not block you',
    })
    .describe('Command line, run by bash in the workspace; each line it prints is an event'),
  description: z.string().max(LIMITS.titleChars).optional().describe('Its purpose, in a few words'),
  max_events: z
    .int()
    .min(1)
    .max(MAX_EVENTS)
    .optional()
    .describe(`It ends after this many events; ${DEFAULT_EVENTS} by default`),
  idle_timeout_ms: z
    .int()
    .min(1)
    .max(MAX_IDLE_MS)
    .optional()
    .describe(
      `It ends when nothing was printed for this long; ${DEFAULT_IDLE_MS} by default, at most ${MAX_IDLE_MS}`,
    ),
  include: pattern.describe('Regular expression: only matching lines are events'),
  exclude: pattern.describe('Regular expression: matching lines are not events'),
  signal: MessageSignal.optional().describe(
    'A signal that the command handles: send_message sends it',
  ),
});
type MonitorInput = z.infer<typeof MonitorInput>;

export interface MonitorOptions {
  readonly sandbox: Sandbox;
  readonly monitors: Pick<Monitors, 'watch'>;
}

export function createMonitor({ sandbox, monitors }: MonitorOptions): Tool {
  return defineTool({
    name: 'monitor',
    description:
      'Runs a command line in the background and sends you its output lines as they are printed: five at ' +
      'once, then one per second; for the others you get their number. Use it for logs and for loops that ' +
      'wait for something. It ends with its command, by task_stop, after max_events, or when nothing is ' +
      'printed for too long.',
    input: MonitorInput,
    kind: 'execute',
    title: ({ command }) => `Monitor ${command}`,
    subjects: ({ command }) => [{ type: 'shell', command }],
    async review(input, { workspace }) {
      assertPatterns(input);
      const notes = sandboxNotes(await sandbox.report());
      return { notes: [`It runs in ${workspace}.`, ...limitNotes(input), ...notes] };
    },
    async execute(input, { run, callId, workspace, signal }) {
      signal.throwIfAborted();
      assertPatterns(input);
      const { command, description = command, include, exclude, signal: messageSignal } = input;
      const { taskId, outputPath } = await monitors.watch({
        ...{ run, callId, workspace, command, description, include, exclude, messageSignal },
        maxEvents: input.max_events ?? DEFAULT_EVENTS,
        idleMs: input.idle_timeout_ms ?? DEFAULT_IDLE_MS,
      });
      return {
        text: `Started as ${taskId}: you get its lines as they are printed. All output: ${outputPath ?? ''}`,
      };
    },
  });
}

function assertPatterns(patterns: Pick<MonitorInput, 'include' | 'exclude'>): void {
  try {
    new LineFilter(patterns);
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error;
    throw new ToolFailure(`include or exclude is not a valid pattern: ${error.message}`);
  }
}

/** How many lines may reach the model, and how long the monitor may run. */
function limitNotes(input: MonitorInput): string[] {
  const { max_events, idle_timeout_ms, include, exclude, signal } = input;
  const events = max_events ?? DEFAULT_EVENTS;
  const silent = (idle_timeout_ms ?? DEFAULT_IDLE_MS) / 1_000;
  return [
    `It runs in the background until ${events} of its lines were sent, or nothing was printed for ${silent} s.`,
    ...(include === undefined ? [] : ['Only lines that match its argument include are sent.']),
    ...(exclude === undefined ? [] : ['Lines that match its argument exclude are not sent.']),
    ...(signal === undefined ? [] : [`Messages to it are sent as ${signal}.`]),
  ];
}
