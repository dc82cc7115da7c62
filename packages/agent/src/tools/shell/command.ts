import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFiles } from './command-files.js';
import { MARK } from './process-tree.js';
import { CommandNotStarted, notStartedReason, type RunningCommand } from './running-command.js';
import type { Launch, Sandbox } from './sandbox.js';
import { SpawnedCommand } from './spawned-command.js';
import { NotUsable, type SystemPrograms } from './system-programs.js';
import { WRAPPER } from './wrapper.js';

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  /** The directory for the files of this session's commands. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  /** The directory that is /tmp in the sandbox; created if missing. By default /tmp is in memory. */
  readonly temporary?: string;
  /** Part of the names of its files; random by default. */
  readonly id?: string;
  readonly kind?: string;
  /** Identifies its processes and records; random by default. */
  readonly nonce?: string;
  /** It continues if the daemon ends, from its start. */
  readonly isReleased?: boolean;
  /** It reads from a pipe that can be written to while it runs. */
  readonly takesInput?: boolean;
  readonly hasTerminal?: boolean;
}

const newCommandId = (): string => `sh_${randomBytes(4).toString('hex')}`;
export const newNonce = (): string => randomBytes(16).toString('hex');

/**
 * Starts a shell command in its own session and group. A caller that releases it and stops waiting moves it to
 * the background; the command itself does not change. Throws the error of the file system if its files cannot
 * be created, and CommandNotStarted if the system refuses to start it; then nothing was started.
 */
export async function startCommand(request: CommandRequest): Promise<RunningCommand> {
  const { command, cwd, id = newCommandId(), nonce = newNonce() } = request;
  const { isReleased = false, takesInput = false } = request;
  const files = new CommandFiles(request.directory, id, request.kind);
  const { launch, helpers, shell, library } = await prepare(request, nonce);
  const isWrapped = launch.kind !== 'none';
  const surroundings = {
    signalsGroup: !isWrapped,
    leavesNothing: launch.processes === 'separate',
  };
  files.writeIntent({ id, nonce, command, cwd, at: Date.now(), surroundings });
  if (isWrapped && request.temporary !== undefined) {
    mkdirSync(request.temporary, { recursive: true, mode: 0o700 });
  }
  const variables = Object.entries(launch.variables).map(([name, value]) => `${name}=${value}`);
  const names = [
    files.output,
    takesInput ? files.input : '',
    nonce,
    library,
    isReleased ? '' : 'held',
    ...helpers,
    String(variables.length),
    ...variables,
  ];
  const status = files.openStatus();
  try {
    const child = spawn(shell, ['-c', WRAPPER, 'stoa', ...names, ...launch.argv], {
      cwd,
      env: { ...launch.environment },
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', status],
    });
    return new SpawnedCommand(id, nonce, files, child, surroundings, isReleased);
  } catch (error) {
    await files.remove().catch(() => undefined);
    throw new CommandNotStarted(notStartedReason(error));
  } finally {
    closeSync(status);
  }
}

/** The directory that the commands of a session share as /tmp. */
export const temporaryOf = (tasksDirectory: string, sessionId: string): string =>
  join(tasksDirectory, 'tmp', sessionId);

interface Prepared {
  readonly launch: Launch;
  readonly shell: string;
  readonly helpers: readonly string[];
  readonly library: string;
}

async function prepare(
  { command, cwd, environment, sandbox, temporary, hasTerminal = false }: CommandRequest,
  nonce: string,
): Promise<Prepared> {
  const { programs } = sandbox;
  try {
    const shell = await programs.shell();
    const argv = hasTerminal
      ? await terminalArguments(programs, shell, command)
      : [shell, '-c', command];
    return {
      launch: await sandbox.plan(argv, {
        environment,
        variables: { [MARK]: nonce },
        workspace: cwd,
        temporary:
          temporary === undefined ? { type: 'memory' } : { type: 'directory', path: temporary },
      }),
      shell: await programs.path('sh'),
      helpers: await helpersOf(programs),
      library: await programs.unbufferingLibrary(),
    };
  } catch (error) {
    if (error instanceof NotUsable) throw new CommandNotStarted(error.message);
    throw new CommandNotStarted(notStartedReason(error));
  }
}

/** Paths of the programs that the wrapper uses, in the order of its arguments. */
async function helpersOf(programs: SystemPrograms): Promise<string[]> {
  const stdbuf = await programs.find('stdbuf');
  const paths: string[] = [];
  for (const name of ['head', 'cat', 'rm', 'grep', 'mkfifo'] as const) {
    paths.push(await programs.path(name));
  }
  return [...paths, stdbuf.ok ? stdbuf.path : ''];
}

/**
 * Runs a command in a terminal: `script` takes its shell from a variable and writes its log to /dev/null. A new
 * terminal has no size. The size is set on the line of the command, so that its line numbers do not change.
 */
const terminalArguments = async (
  programs: SystemPrograms,
  shell: string,
  command: string,
): Promise<string[]> => [
  await programs.path('env'),
  `SHELL=${shell}`,
  'TERM=xterm-256color',
  await programs.path('script'),
  '-qefc',
  `stty rows 24 cols 80 2>/dev/null || :; ${command}`,
  '/dev/null',
];
