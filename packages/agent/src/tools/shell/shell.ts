import { join } from 'node:path';
import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { plainText } from '../../envelope.js';
import { cutText } from '../cut-text.js';
import { type DecidedEnvironment, defineTool, type Tool, type ToolOutput } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';
import { childEnvironment } from './child-environment.js';
import { startCommand } from './command.js';
import { readOutput } from './command-output.js';
import type { CommandEnd, RunningCommand } from './running-command.js';
import type { Sandbox } from './sandbox.js';

const DEFAULT_MS = 120_000;
const MAX_MS = 600_000;
/** What the lines about how it ended may need. */
const NOTE_CHARS = 500;

const ShellInput = z.strictObject({
  command: z.string().min(1).max(65_536).describe('Command line, run by bash in the workspace'),
  description: z
    .string()
    .max(LIMITS.titleChars)
    .optional()
    .describe('What it is for, in a few words'),
  timeout: z
    .int()
    .min(1)
    .max(MAX_MS)
    .optional()
    .describe(`Milliseconds until it is stopped; ${DEFAULT_MS} unless given, at most ${MAX_MS}`),
  is_background: z.boolean().optional().describe('Reserved; only false is taken for now'),
});
type ShellInput = z.infer<typeof ShellInput>;

export interface ShellOptions {
  /** Each session has a directory of its own name below it. */
  readonly tasksDirectory: string;
  readonly sandbox: Sandbox;
  /** Variables of the daemon that commands get besides the usual ones. */
  readonly passedVariables?: readonly string[];
}

export function createShell(options: ShellOptions): Tool {
  return defineTool<ShellInput>({
    name: 'shell',
    description:
      'Runs a command line and answers with what it printed, stdout and stderr together, and its exit ' +
      'code if that is not zero. It gets no input. Processes it leaves running are ended with it.',
    input: ShellInput,
    kind: 'execute',
    title: ({ command }) => `Run ${command}`,
    subjects: ({ command }) => Promise.resolve([{ type: 'shell', command }]),
    async detail({ command, description }, { workspace }) {
      const { summary } = await options.sandbox.report();
      const what = description === undefined ? [] : [plainText(description)];
      return [...what, `In ${workspace}:`, command, summary].join('\n');
    },
    async execute(input, environment) {
      if (input.is_background === true) {
        throw new ToolFailure(
          'is_background is not available yet: run the command in the foreground, within the timeout',
        );
      }
      return run(input, environment, options);
    },
  });
}

async function run(
  { command, timeout = DEFAULT_MS }: ShellInput,
  { run, workspace, signal }: DecidedEnvironment,
  { tasksDirectory, sandbox, passedVariables }: ShellOptions,
): Promise<ToolOutput> {
  signal.throwIfAborted();
  const started = performance.now();
  const running = await startCommand({
    command,
    cwd: workspace,
    directory: join(tasksDirectory, run.session.sessionId),
    environment: childEnvironment(process.env, passedVariables),
    sandbox,
  });
  const abort = (): void => void running.stop('run');
  const timer = setTimeout(() => void running.stop('timeout'), timeout);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const end = await running.wait();
    return await answer(running, end, timeout, performance.now() - started);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await running.discard();
  }
}

async function answer(
  { outputPath }: RunningCommand,
  end: CommandEnd,
  timeout: number,
  elapsed: number,
): Promise<ToolOutput> {
  const limit = LIMITS.toolOutputChars - NOTE_CHARS;
  // Four bytes a character at most, so that a character is not lost to the limit of bytes.
  const output = cutText(plainText(await readOutput(outputPath, limit * 4)).trimEnd(), limit);
  const note = noteOf(end, timeout, elapsed);
  const isError = end.type !== 'exited' || end.exitCode !== 0;
  const parts = [output, ...(note === undefined ? [] : [note])].filter((part) => part !== '');
  return { text: parts.join('\n') || '[No output]', isError };
}

function noteOf(end: CommandEnd, timeout: number, elapsed: number): string | undefined {
  switch (end.type) {
    case 'not_started':
      return `[It could not be started: ${end.reason}]`;
    case 'lost':
      return `[How it ended is not known: ${end.reason}]`;
    case 'stopped': {
      const why = end.by === 'timeout' ? `after its ${timeout} ms were over` : 'with the run';
      const rest = end.isDead ? '' : '; some of its processes could not be ended';
      return `[Stopped ${why} (${end.signal})${rest}]`;
    }
    case 'exited': {
      const code = end.exitCode === 0 ? [] : [`[Exit code ${end.exitCode}]`];
      const isSlow = elapsed >= Math.max(1_000, timeout / 2);
      const slow = `[Took ${Math.round(elapsed)} of ${timeout} ms; do not run it again to see more]`;
      return [...code, ...(isSlow ? [slow] : [])].join('\n') || undefined;
    }
  }
}
