import type { CommandFiles } from './command-files.js';

/** `outputLost`: why what it printed could not be kept to the end. */
export type CommandEnd = (
  | { readonly type: 'exited'; readonly exitCode: number }
  /** `isDead`: no process of it is left, which was looked for. */
  | {
      readonly type: 'stopped';
      readonly by: string;
      readonly signal: 'SIGTERM' | 'SIGKILL';
      readonly isDead: boolean;
      readonly exitCode?: number;
    }
  | { readonly type: 'not_started'; readonly reason: string }
  /** It did run, and nobody recorded how it ended; `signal` is what ended who should have. */
  | { readonly type: 'lost'; readonly reason: string; readonly signal?: string }
) & { readonly outputLost?: string };

/** A command under way. */
export interface RunningCommand {
  readonly id: string;
  readonly nonce: string;
  readonly files: CommandFiles;
  /** The leader of its group; undefined when it could not be started, or is not known any more. */
  readonly pid: number | undefined;
  readonly outputPath: string;
  /** Whether it is known to be over, though not yet everything about its end. */
  readonly isOver: boolean;
  /** Resolves with the reason once what it prints cannot be kept any more; it goes on all the same. */
  readonly outputLost: Promise<string>;
  /** Resolves when it has ended and its output is whole. Does not reject. */
  wait(): Promise<CommandEnd>;
  /** Ends it and everything it started; resolves when that is done. The first who stops it is kept. */
  stop(by: string): Promise<CommandEnd>;
  /** From now on it goes on when the daemon does not. */
  release(): void;
  /** Ceases to look at it. It goes on; `wait` does not resolve any more. */
  leave(): void;
  /** Removes its files, once it has ended. */
  discard(): Promise<void>;
}
