import { ToolFailure } from '../tool-failure.js';
import type { CommandFiles } from './command-files.js';

/** How a command ended. `outputLost`: why its output could not be kept to the end. */
export type CommandEnd = (
  | { readonly type: 'exited'; readonly exitCode: number }
  /** `isDead`: a search found no process of it. */
  | {
      readonly type: 'stopped';
      readonly by: string;
      readonly signal: 'SIGTERM' | 'SIGKILL';
      readonly isDead: boolean;
      readonly exitCode?: number;
    }
  | { readonly type: 'not_started'; readonly reason: string }
  /** It ran, and its end was not recorded; `signal` ended the wrapper that should have recorded it. */
  | { readonly type: 'lost'; readonly reason: string; readonly signal?: string }
) & { readonly outputLost?: string };

/** A command that was started. */
export interface RunningCommand {
  readonly id: string;
  readonly nonce: string;
  readonly files: CommandFiles;
  /** The leader of its group; undefined if it could not be started or is no longer known. */
  readonly pid: number | undefined;
  readonly outputPath: string;
  /** Whether it has ended or is being stopped, even if its end is not fully known yet. */
  readonly isOver: boolean;
  /** Resolves with the reason once its output can no longer be kept. The command continues. */
  readonly outputLost: Promise<string>;
  /** Resolves when it has ended and its output is complete. Does not reject. */
  wait(): Promise<CommandEnd>;
  /** Ends it and everything it started, and resolves when that is done. Only the first caller is recorded. */
  stop(by: string): Promise<CommandEnd>;
  /** From now on it continues if the daemon ends. */
  release(): void;
  /** Stops following it. It continues, and `wait` does not resolve any more. */
  leave(): void;
  /** Removes its files once it has ended. */
  discard(): Promise<void>;
}

/** The system refused to start a command. Nothing of it is left. */
export class CommandNotStarted extends ToolFailure {}

/** Why a shell could not be started. The shell was checked before, so ENOENT refers to the directory. */
export function notStartedReason(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return START_FAILURES[code] ?? message;
}

const START_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist (ENOENT)',
  ENOTDIR: 'its directory is not a directory (ENOTDIR)',
  EACCES: 'its directory may not be entered (EACCES)',
  E2BIG: 'the command is longer than the system accepts (E2BIG)',
  EAGAIN: 'no more processes can be started (EAGAIN)',
  ENOMEM: 'there is not enough memory (ENOMEM)',
  EMFILE: 'too many files are open (EMFILE)',
  ENFILE: 'too many files are open (ENFILE)',
};
