import { promises as fs, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { startTimeOf } from './process-tree.js';

/** Written before anything is started: what was about to happen. */
export interface CommandIntent {
  readonly id: string;
  readonly nonce: string;
  readonly command: string;
  readonly cwd: string;
  readonly at: number;
}

const Intended = z.object({ nonce: z.string() });

const CommandStatus = z.object({
  nonce: z.string(),
  bootId: z.string(),
  pid: z.int(),
  startTime: z.string(),
  exitCode: z.int().optional(),
});
export type CommandStatus = z.infer<typeof CommandStatus>;

/**
 * What can be said of a command by its files alone:
 *
 *   intended   it was about to be started; whether it was is not known
 *   running    its process is there, the very one that was recorded
 *   exited     with this code
 *   unknown    its process is gone, or another has its number; nobody recorded how it ended
 */
export type CommandState =
  | { readonly type: 'intended' | 'unknown' }
  | { readonly type: 'running'; readonly pid: number }
  | { readonly type: 'exited'; readonly exitCode: number };

/** Where one command keeps its files: `shell-<id>.intent`, `.status` and `.output`. */
export class CommandFiles {
  readonly intent: string;
  readonly status: string;
  readonly output: string;

  constructor(
    readonly directory: string,
    id: string,
  ) {
    this.intent = join(directory, `shell-${id}.intent`);
    this.status = join(directory, `shell-${id}.status`);
    this.output = join(directory, `shell-${id}.output`);
  }

  /** Blocks, for a small part of the time that starting a process will block. */
  writeIntent(intent: CommandIntent): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const temporary = `${this.intent}.new`;
    writeFileSync(temporary, `${JSON.stringify(intent)}\n`, { mode: 0o600 });
    renameSync(temporary, this.intent);
  }

  /** That of the intent; undefined when there is none that can be read. */
  async readNonce(): Promise<string | undefined> {
    try {
      return Intended.parse(JSON.parse(await fs.readFile(this.intent, 'utf8'))).nonce;
    } catch {
      return undefined;
    }
  }

  /** What the wrapper recorded last; undefined when nothing that belongs to this nonce. */
  async readStatus(nonce: string): Promise<CommandStatus | undefined> {
    try {
      const lines = (await fs.readFile(this.status, 'utf8')).split('\n');
      const status = lines.map(readRecord).findLast((record) => record !== undefined);
      return status?.nonce === nonce ? status : undefined;
    } catch {
      return undefined;
    }
  }

  async state(nonce: string): Promise<CommandState> {
    const status = await this.readStatus(nonce);
    if (!status) return { type: 'intended' };
    if (status.exitCode !== undefined) return { type: 'exited', exitCode: status.exitCode };
    const isHere = status.bootId !== '' && status.bootId === (await bootId());
    const started = isHere ? startTimeOf(status.pid) : undefined;
    if (started !== undefined && started === status.startTime) {
      return { type: 'running', pid: status.pid };
    }
    // It may have ended between the two looks, and records its exit before it does.
    const last = await this.readStatus(nonce);
    return last?.exitCode === undefined
      ? { type: 'unknown' }
      : { type: 'exited', exitCode: last.exitCode };
  }

  async remove(): Promise<void> {
    const own = basename(this.output).slice(0, -'output'.length);
    const names = await fs.readdir(dirname(this.output)).catch(() => []);
    await Promise.all(
      names
        .filter((name) => name.startsWith(own))
        .map((name) => fs.unlink(join(this.directory, name)).catch(ignoreMissing)),
    );
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** A line of the status file; undefined when it is not whole. */
function readRecord(line: string): CommandStatus | undefined {
  try {
    return CommandStatus.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

async function bootId(): Promise<string | undefined> {
  try {
    return (await fs.readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  } catch {
    return undefined;
  }
}
