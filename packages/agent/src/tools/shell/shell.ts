import { endsInBackground, sleepRefusal } from '@stoa/core';
import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { ShellTasks, type ShellTasksOptions } from '../../tasks/shell/shell-tasks.js';
import { type DecidedEnvironment, defineTool, type Tool, type ToolOutput } from '../tool.js';
import { ToolFailure, toToolFailure } from '../tool-failure.js';
import { type Sandbox, sandboxNotes } from './sandbox.js';
import { backgroundNote, endedAnswer, promotedAnswer } from './shell-answer.js';

const DEFAULT_MS = 120_000;
const MAX_MS = 600_000;

const ShellInput = z.strictObject({
  command: z.string().min(1).max(65_536).describe('Command line, run by bash in the workspace'),
  description: z.string().max(LIMITS.titleChars).optional().describe('Its purpose, in a few words'),
  timeout: z
    .int()
    .min(1)
    .max(MAX_MS)
    .optional()
    .describe(
      `Milliseconds until it is stopped: ${DEFAULT_MS} by default, at most ${MAX_MS}. Background commands have no timeout by default`,
    ),
  is_background: z
    .boolean()
    .optional()
    .describe('Start it and return at once; you will be notified when it ends. No & is needed'),
  on_timeout: z
    .enum(['kill', 'background'])
    .optional()
    .describe(
      'What happens at the timeout: kill (the default) stops it, background lets it continue as a background task',
    ),
  stdin: z
    .boolean()
    .optional()
    .describe(
      'Only in the background: keeps its standard input open, so that send_message can write lines to it. It never sees the end of its input. Closed by default',
    ),
  pty: z
    .boolean()
    .optional()
    .describe(
      'Runs it in a terminal, for programs that require one. stdout and stderr are combined, input is echoed, and the terminal has 80 columns and 24 rows',
    ),
});
type ShellInput = z.infer<typeof ShellInput>;

export interface ShellOptions extends ShellTasksOptions {
  /** Without it, commands run only in the foreground. */
  readonly shells?: ShellTasks | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic?: () => number;
}

export function createShell(options: ShellOptions): Tool {
  const shells = options.shells ?? new ShellTasks(options);
  const monotonic = options.monotonic ?? (() => performance.now());
  return defineTool({
    name: 'shell',
    description:
      'Runs a command line and returns its output, stdout and stderr together, and its exit code if that ' +
      'is not zero. It gets no input. Processes that it leaves running are ended. Use is_background for ' +
      'servers and for commands that take long: it returns a task id.',
    input: ShellInput,
    kind: 'execute',
    title: ({ command }) => `Run ${command}`,
    subjects: ({ command }) => [{ type: 'shell', command }],
    async review({ is_background, stdin }, { workspace }) {
      const notes = sandboxNotes(await options.sandbox.report());
      const where =
        is_background === true
          ? `It runs in the background, in ${workspace}.`
          : `It runs in ${workspace}.`;
      const input = 'Its standard input stays open: each text sent to it later needs an approval.';
      return { notes: [where, ...(stdin === true ? [input] : []), ...notes] };
    },
    async execute(input, environment) {
      environment.signal.throwIfAborted();
      await assertSensible(input, options.sandbox);
      if (input.is_background !== true) return run(input, environment, shells, monotonic);
      if (!options.shells) throw new ToolFailure('There are no background tasks here');
      return runInBackground(input, environment, shells);
    },
  });
}

/** Refuses input that cannot work as intended, and suggests an alternative. */
async function assertSensible(input: ShellInput, { programs }: Sandbox): Promise<void> {
  const { command, is_background = false, on_timeout, stdin = false, pty = false } = input;
  if (is_background && endsInBackground(command)) {
    throw new ToolFailure(
      'Leave out the & at the end: with is_background the whole command runs in the background, and processes that it starts with & are ended with it',
    );
  }
  if (is_background && on_timeout === 'background') {
    throw new ToolFailure(
      'on_timeout applies only to commands in the foreground, not with is_background',
    );
  }
  if (!is_background && stdin) {
    throw new ToolFailure(
      'stdin works only in the background: add is_background, or put the input into the command, for example as a here-document',
    );
  }
  const sleeping = is_background ? undefined : sleepRefusal(command);
  if (sleeping !== undefined) throw new ToolFailure(sleeping);
  if (pty && !(await programs.hasPseudoTerminal())) {
    throw new ToolFailure(
      'pty needs the program script of util-linux, which is not installed on this machine: run the command without pty',
    );
  }
}

async function runInBackground(
  { command, description, timeout, stdin = false, pty = false }: ShellInput,
  { run, callId, workspace }: DecidedEnvironment,
  shells: ShellTasks,
): Promise<ToolOutput> {
  const task = await shells.startInBackground({
    command,
    description,
    cwd: workspace,
    run,
    callId,
    takesInput: stdin,
    hasTerminal: pty,
    timeoutMs: timeout,
  });
  const { pid } = task.detail;
  const started = typeof pid === 'number' ? ` (pid ${pid})` : '';
  const deadline = timeout === undefined ? '' : `, and is stopped after ${timeout} ms`;
  const note = `[Runs in the background as ${task.taskId}${started}${deadline}]`;
  return { text: `${note}\n${backgroundNote(task.outputPath ?? '')}` };
}

async function run(
  input: ShellInput,
  { run, callId, workspace, signal }: DecidedEnvironment,
  shells: ShellTasks,
  monotonic: () => number,
): Promise<ToolOutput> {
  const { command, description, pty = false } = input;
  const { timeout: timeoutMs = DEFAULT_MS, on_timeout: onTimeout = 'kill' } = input;
  const started = monotonic();
  const wanted = { command, description, cwd: workspace, run, callId, hasTerminal: pty };
  const waiting = await shells
    .wait({ ...wanted, timeoutMs, onTimeout, signal })
    .catch((error: unknown) => {
      throw toToolFailure(error, 'The files of the command cannot be created');
    });
  const { running, foreground } = waiting;
  const waited = await foreground.wait();
  if (waited.type === 'promoted') {
    return promotedAnswer(running, waited.why, foreground.taskId, timeoutMs);
  }
  try {
    const elapsedMs = monotonic() - started;
    return await endedAnswer(running, waited.end, { command, timeoutMs, elapsedMs });
  } finally {
    await running.discard();
  }
}
