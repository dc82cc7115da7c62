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

/** Decides how a command is stopped. */
const Surroundings = z.object({
  /** SIGTERM goes to the whole group. Not in a sandbox, which would die and take the command with it. */
  signalsGroup: z.boolean(),
  /** The system ends every process of the command with the first one. */
  leavesNothing: z.boolean(),
});
export type Surroundings = z.infer<typeof Surroundings>;

/** Written before the command is started. */
const CommandIntent = z.object({
  id: z.string(),
  nonce: z.string(),
  command: z.string(),
  cwd: z.string(),
  at: z.number(),
  surroundings: Surroundings.optional().catch(undefined),
});
export type CommandIntent = z.infer<typeof CommandIntent>;

const CommandStatus = z.object({
  nonce: z.string(),
  bootId: z.string(),
  /** Signals to smaller ids reach a whole group, or every process. */
  pid: z.int().min(2),
  startTime: z.string(),
  exitCode: z.int().optional(),
  outputLost: z.string().optional(),
});
export type CommandStatus = z.infer<typeof CommandStatus>;

/**
 * The state of a command, according to its files:
 *
 *   intended   it was about to be started, and may have been
 *   running    the recorded process is alive
 *   exited     with this code
 *   unknown    its process is gone, or another process has its id; its end was not recorded
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
/** A status has at most three records. */
const STATUS_BYTES = 16_384;
const INTENT_BYTES = 1_000_000;

/** The files of one command: `<kind>-<id>.intent`, `.status`, `.output` and perhaps `.input` and `.jsonl`. */
export class CommandFiles {
  readonly intent: string;
  readonly status: string;
  readonly output: string;
  readonly input: string;
  readonly transcript: string;

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
    this.transcript = `${base}.jsonl`;
  }

  /** Synchronous, because starting a process blocks for much longer. */
  writeIntent(intent: CommandIntent): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    if (!lstatSync(this.directory).isDirectory()) {
      const message = `ENOTDIR: ${this.directory} is not a directory`;
      throw Object.assign(new Error(message), { code: 'ENOTDIR' });
    }
    const temporary = `${this.intent}.new`;
    const file = openSync(temporary, NEW_FILE, 0o600);
    try {
      writeSync(file, `${JSON.stringify(intent)}\n`);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.intent);
  }

  /** For the wrapper to write to. The file must not exist yet. */
  openStatus(): number {
    return openSync(this.status, NEW_FILE, 0o600);
  }

  /** Undefined if there is none or it cannot be read. */
  async readIntent(): Promise<CommandIntent | undefined> {
    try {
      return CommandIntent.parse(JSON.parse(await readRegularFile(this.intent, INTENT_BYTES)));
    } catch {
      return undefined;
    }
  }

  /** What the wrapper recorded for this nonce, if anything. */
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
    if (await isAlive(status)) return { type: 'running', pid: status.pid };
    // It may have recorded its exit after the status was read.
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

/** Whether the recorded process is alive, as opposed to another process that got its id since. */
export async function isAlive(status: CommandStatus): Promise<boolean> {
  const isSameBoot = status.bootId !== '' && status.bootId === (await bootId());
  return isSameBoot && startTimeOf(status.pid) === status.startTime;
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** A line of the status file; undefined if it is incomplete. */
function readRecord(line: string): CommandStatus | undefined {
  try {
    return CommandStatus.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
