import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFiles } from './command-files.js';
import { MARK } from './mark.js';
import { CommandNotStarted, notStartedReason } from './not-started.js';
import { inTerminal } from './pseudo-terminal.js';
import type { RunningCommand } from './running-command.js';
import type { Launch, Sandbox } from './sandbox.js';
import { SpawnedCommand } from './spawned-command.js';
import { NotUsable, type SystemPrograms } from './system-programs.js';
import { WRAPPER } from './wrapper.js';

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  /** Where this session's commands keep their files. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  /** What it has as /tmp in the sandbox; made if it is missing. Its own, until it ends, unless given. */
  readonly temporary?: string;
  /** What its files are named by; made up unless given. */
  readonly id?: string;
  readonly kind?: string;
  /** By which it is known again; made up unless given. */
  readonly nonce?: string;
  /** It goes on when the daemon does not, from its first moment. */
  readonly isReleased?: boolean;
  /** It can be written to while it runs. */
  readonly takesInput?: boolean;
  /** It is given a terminal. */
  readonly hasTerminal?: boolean;
}

const newCommandId = (): string => `sh_${randomBytes(4).toString('hex')}`;
export const newNonce = (): string => randomBytes(16).toString('hex');

/**
 * Starts a shell command in a session and group of its own. Waiting for it is up to the caller: who
 * releases it and ceases to wait has it in the background, and nothing about the command changes.
 * Throws what the file system does when its files cannot be made, and CommandNotStarted when the system
 * refuses at once; then nothing was started.
 */
export async function startCommand(request: CommandRequest): Promise<RunningCommand> {
  const { command, cwd, id = newCommandId(), nonce = newNonce() } = request;
  const { isReleased = false, takesInput = false } = request;
  const files = new CommandFiles(request.directory, id, request.kind);
  const { launch, helpers, shell, library } = await prepare(request, nonce);
  const isWrapped = launch.kind !== 'none';
  const surroundings = {
    isGroupTold: !isWrapped,
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

/** What the commands of a session share as /tmp, below the directory of all commands. */
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
    const argv = hasTerminal ? await inTerminal(programs, shell, command) : [shell, '-c', command];
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

/** In the order in which the wrapper takes them. */
async function helpersOf(programs: SystemPrograms): Promise<string[]> {
  const stdbuf = await programs.find('stdbuf');
  const paths: string[] = [];
  for (const name of ['head', 'cat', 'rm', 'grep', 'mkfifo'] as const) {
    paths.push(await programs.path(name));
  }
  return [...paths, stdbuf.ok ? stdbuf.path : ''];
}
