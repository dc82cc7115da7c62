import { endsInBackground, sleepRefusal } from '@stoa/core';
import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { ShellTasks, type ShellTasksOptions } from '../../tasks/shell/shell-tasks.js';
import { type DecidedEnvironment, defineTool, type Tool, type ToolOutput } from '../tool.js';
import { inWords, ToolFailure } from '../tool-failure.js';
import { type Sandbox, sandboxNotes } from './sandbox.js';
import { backgroundNote, endedAnswer, promotedAnswer } from './shell-answer.js';

const DEFAULT_MS = 120_000;
const MAX_MS = 600_000;

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
    .describe(
      `Milliseconds until it is stopped; ${DEFAULT_MS} unless given, at most ${MAX_MS}. In the background it has none unless given`,
    ),
  is_background: z
    .boolean()
    .optional()
    .describe('Start it and go on; you are told when it ends. No & is needed'),
  on_timeout: z
    .enum(['kill', 'background'])
    .optional()
    .describe(
      'What becomes of it when its time is over: it is stopped (kill, unless given) or goes on as a background task',
    ),
  stdin: z
    .boolean()
    .optional()
    .describe(
      'Only in the background: keep its standard input open, so that send_message writes lines to it. It never sees an end of input. Closed unless given',
    ),
  pty: z
    .boolean()
    .optional()
    .describe(
      'Give it a terminal, for programs that refuse to work without. stdout and stderr are one, what is written to it is echoed, and it has 80 columns and 24 rows',
    ),
});
type ShellInput = z.infer<typeof ShellInput>;

export interface ShellOptions extends ShellTasksOptions {
  /** Who looks after commands; one for this tool alone unless given. */
  readonly shells?: ShellTasks | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic?: () => number;
}

export function createShell(options: ShellOptions): Tool {
  const shells = options.shells ?? new ShellTasks(options);
  const monotonic = options.monotonic ?? (() => performance.now());
  return defineTool<ShellInput>({
    name: 'shell',
    description:
      'Runs a command line and answers with what it printed, stdout and stderr together, and its exit ' +
      'code if that is not zero. It gets no input. Processes it leaves running are ended with it. What ' +
      'takes long or serves others runs with is_background: the answer is its task id.',
    input: ShellInput,
    kind: 'execute',
    title: ({ command }) => `Run ${command}`,
    subjects: ({ command }) => Promise.resolve([{ type: 'shell', command }]),
    async review({ is_background, stdin }, { workspace }) {
      const notes = sandboxNotes(await options.sandbox.report());
      const where =
        is_background === true
          ? `It runs in the background, in ${workspace}.`
          : `It runs in ${workspace}.`;
      const input = 'Its standard input stays open: every text sent to it later is asked about.';
      return { notes: [where, ...(stdin === true ? [input] : []), ...notes] };
    },
    async execute(input, environment) {
      environment.signal.throwIfAborted();
      await refuse(input, options.sandbox);
      if (input.is_background !== true) return run(input, environment, shells, monotonic);
      if (!options.shells) throw new ToolFailure('There are no background tasks here');
      return runInBackground(input, environment, shells);
    },
  });
}

/** Throws, with what to do instead, for what would not do what was meant. */
async function refuse(input: ShellInput, { programs }: Sandbox): Promise<void> {
  const { command, is_background = false, on_timeout, stdin = false, pty = false } = input;
  if (is_background && endsInBackground(command)) {
    throw new ToolFailure(
      'Leave out the & at the end: with is_background the whole command runs in the background, and what it leaves behind with & is ended with it',
    );
  }
  if (is_background && on_timeout === 'background') {
    throw new ToolFailure('on_timeout is for a command that is waited for, not with is_background');
  }
  if (!is_background && stdin) {
    throw new ToolFailure(
      'stdin is for commands in the background, which can be written to while they run: add is_background, or give the input in the command, as with a here-document',
    );
  }
  const sleeping = is_background ? undefined : sleepRefusal(command);
  if (sleeping !== undefined) throw new ToolFailure(sleeping);
  if (pty && !(await programs.hasPseudoTerminal())) {
    throw new ToolFailure(
      'pty needs the program script of util-linux, which is not on this machine: run it without',
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
      throw inWords(error, 'The files of the command cannot be made');
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
