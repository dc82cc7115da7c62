import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { CommandFiles } from './command-files.js';
import { MARK } from './mark.js';
import { CommandNotStarted, notStartedReason } from './not-started.js';
import { inTerminal } from './pseudo-terminal.js';
import type { RunningCommand } from './running-command.js';
import type { Sandbox } from './sandbox.js';
import { SpawnedCommand } from './spawned-command.js';
import { shellPath, unbufferingLibrary } from './system-programs.js';
import { WRAPPER } from './wrapper.js';

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  /** Where this session's commands keep their files. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
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
  const { isReleased = false, takesInput = false, hasTerminal = false } = request;
  const files = new CommandFiles(request.directory, id, request.kind);
  const { kind, processes } = await request.sandbox.report();
  const surroundings = { isGroupTold: kind === 'none', leavesNothing: processes === 'separate' };
  files.writeIntent({ id, nonce, command, cwd, at: Date.now(), surroundings });
  // What surrounds a command is not marked as the command is: bubblewrap marks what it starts.
  const isWrapped = kind !== 'none';
  const shell = await shellPath();
  const argv = await request.sandbox.wrap(
    hasTerminal ? inTerminal(shell, command) : [shell, '-c', command],
    isWrapped ? { [MARK]: nonce } : {},
  );
  const names = [
    files.output,
    takesInput ? files.input : '',
    nonce,
    isWrapped ? '' : `${MARK}=${nonce}`,
    await unbufferingLibrary(),
    isReleased ? '' : 'held',
  ];
  const status = files.openStatus();
  try {
    const child = spawn('/bin/sh', ['-c', WRAPPER, 'stoa', ...names, ...argv], {
      cwd,
      env: { ...request.environment },
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
