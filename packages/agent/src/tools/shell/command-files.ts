import {
  closeSync,
  constants,
  promises as fs,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { bootId, startTimeOf } from './process-tree.js';
import { readRegularFile } from './regular-file.js';

/** What surrounds a command, which decides how it is stopped. */
const Surroundings = z.object({
  /** Without a sandbox; one would die of the signal and take the command with it at once. */
  isGroupTold: z.boolean(),
  /** The system itself ends every process with the first one. */
  leavesNothing: z.boolean(),
});
export type Surroundings = z.infer<typeof Surroundings>;

/** Written before anything is started: what was about to happen. */
const CommandIntent = z.object({
  id: z.string(),
  nonce: z.string(),
  command: z.string(),
  cwd: z.string(),
  at: z.number(),
  surroundings: Surroundings.optional(),
});
export type CommandIntent = z.infer<typeof CommandIntent>;

const CommandStatus = z.object({
  nonce: z.string(),
  bootId: z.string(),
  /** Smaller ones mean, to the system, everybody of a group or everybody there is. */
  pid: z.int().min(2),
  startTime: z.string(),
  exitCode: z.int().optional(),
  /** Why its output could not be kept to the end. */
  outputLost: z.string().optional(),
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

const NEW_FILE =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_EXCL |
  constants.O_APPEND |
  constants.O_NOFOLLOW;
/** Nobody's status is longer: three records. */
const STATUS_BYTES = 16_384;
const INTENT_BYTES = 1_000_000;

/** Where one command keeps its files: `<kind>-<id>.intent`, `.status`, `.output` and perhaps `.input`. */
export class CommandFiles {
  readonly intent: string;
  readonly status: string;
  readonly output: string;
  readonly input: string;

  constructor(
    readonly directory: string,
    readonly id: string,
    kind = 'shell',
  ) {
    const base = join(directory, `${kind}-${id}`);
    this.intent = `${base}.intent`;
    this.status = `${base}.status`;
    this.output = `${base}.output`;
    this.input = `${base}.input`;
  }

  /** Blocks, for a small part of the time that starting a process will block. */
  writeIntent(intent: CommandIntent): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    if (!lstatSync(this.directory).isDirectory()) throw notADirectory(this.directory);
    const temporary = `${this.intent}.new`;
    const file = openSync(temporary, NEW_FILE, 0o600);
    try {
      writeSync(file, `${JSON.stringify(intent)}\n`);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.intent);
  }

  /** For the wrapper to write to; it must not be there yet. */
  openStatus(): number {
    return openSync(this.status, NEW_FILE, 0o600);
  }

  /** Undefined when there is none that can be read. */
  async readIntent(): Promise<CommandIntent | undefined> {
    try {
      return CommandIntent.parse(JSON.parse(await readRegularFile(this.intent, INTENT_BYTES)));
    } catch {
      return undefined;
    }
  }

  /** What the wrapper recorded; undefined when nothing that belongs to this nonce. */
  async readStatus(nonce: string): Promise<CommandStatus | undefined> {
    try {
      const lines = (await readRegularFile(this.status, STATUS_BYTES)).split('\n');
      const records = lines.flatMap((line) => readRecord(line) ?? []);
      const own = records.filter((record) => record.nonce === nonce);
      return own.length === 0 ? undefined : own.reduce((all, record) => ({ ...all, ...record }));
    } catch {
      return undefined;
    }
  }

  async state(nonce: string): Promise<CommandState> {
    const status = await this.readStatus(nonce);
    if (!status) return { type: 'intended' };
    if (status.exitCode !== undefined) return { type: 'exited', exitCode: status.exitCode };
    if (await isThere(status)) return { type: 'running', pid: status.pid };
    // It may have ended between the two looks, and records its exit before it does.
    const last = await this.readStatus(nonce);
    return last?.exitCode === undefined
      ? { type: 'unknown' }
      : { type: 'exited', exitCode: last.exitCode };
  }

  async remove(): Promise<void> {
    const own = basename(this.output).slice(0, -'output'.length);
    const names = await fs.readdir(this.directory).catch(() => []);
    await Promise.all(
      names
        .filter((name) => name.startsWith(own))
        .map((name) => fs.unlink(join(this.directory, name)).catch(ignoreMissing)),
    );
  }
}

/** Whether the process that was recorded is there: no other that got its number since. */
export async function isThere(status: CommandStatus): Promise<boolean> {
  const isSameBoot = status.bootId !== '' && status.bootId === (await bootId());
  return isSameBoot && startTimeOf(status.pid) === status.startTime;
}

function notADirectory(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ENOTDIR: ${path} is not a directory`), { code: 'ENOTDIR' });
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
