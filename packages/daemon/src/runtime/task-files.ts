import { type Dirent, promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { Tasks } from '@stoa/core';

const SESSION = /^ses_[0-9a-z]{26}$/;
const TASK_FILE = /^([a-z][a-z_]{0,31})-(sh_[0-9a-f]{8}|tsk_[0-9a-z]{26})\./;

/** How many session directories one sweep reads, and how many tasks' files it removes. */
const LOOKED_INTO = 200;
const TAKEN = 500;
/** A file without a listed task may belong to a task that is about to be listed or removed. */
const UNLISTED_MS = 3_600_000;

export interface TaskFilesOptions {
  readonly tasksDirectory: string;
  readonly tasks: Pick<Tasks, 'fileFates' | 'isPastSession'>;
  /** Whether the command with files of this name runs. */
  readonly isRunning: (directory: string, kind: string, id: string) => Promise<boolean>;
  /** How long files are kept after the end of the session. */
  readonly keptMs: number;
  readonly now: () => number;
  readonly lookedInto?: number;
  readonly taken?: number;
}

export interface RemovedFiles {
  tasks: number;
  files: number;
  bytes: number;
}

interface FilesOfTask {
  readonly kind: string;
  readonly id: string;
  readonly names: string[];
}

/**
 * Removes the files of tasks whose session ended long ago, or that are no longer listed. Each sweep continues where
 * the last one stopped. It touches only files with names of task files, and follows no link.
 */
export class TaskFiles {
  #after = '';

  constructor(private readonly options: TaskFilesOptions) {}

  /** Calls `goOn` before every directory; the rest waits for the next sweep. */
  async sweep(goOn: () => boolean = () => true): Promise<RemovedFiles> {
    const { tasksDirectory, lookedInto = LOOKED_INTO, taken = TAKEN } = this.options;
    const removed: RemovedFiles = { tasks: 0, files: 0, bytes: 0 };
    const all = (await entriesOf(tasksDirectory))
      .map(({ name }) => name)
      .filter((name) => SESSION.test(name))
      .sort();
    const rest = all.filter((name) => name > this.#after);
    const failures: unknown[] = [];
    for (const sessionId of rest.slice(0, lookedInto)) {
      if (!goOn()) return removed;
      // A directory that cannot be read does not stop the sweep.
      await this.#sweepSession(sessionId, removed, taken).catch((error: unknown) => {
        failures.push(error);
      });
      // There may be more in this directory.
      if (removed.tasks >= taken) return removed;
      this.#after = sessionId;
    }
    if (rest.length <= lookedInto) this.#after = '';
    await this.#sweepTemporary(goOn).catch((error: unknown) => {
      failures.push(error);
    });
    if (failures.length > 0) throw failures[0];
    return removed;
  }

  async #sweepSession(sessionId: string, removed: RemovedFiles, taken: number): Promise<void> {
    const { tasksDirectory, tasks, keptMs, now } = this.options;
    const directory = join(tasksDirectory, sessionId);
    const entries = await entriesOf(directory);
    const groups = groupsOf(entries);
    const endedBefore = now() - keptMs;
    const ids = [...groups.values()].map(({ id }) => id);
    const fates = await tasks.fileFates(ids, endedBefore);
    for (const group of groups.values()) {
      if (removed.tasks >= taken) return;
      const fate = fates.get(group.id) ?? 'kept';
      if (fate === 'kept') continue;
      if (fate === 'unlisted' && !(await this.#isAbandoned(directory, group))) continue;
      await remove(directory, group, removed);
    }
    // The directory of an active session may be written to at any time.
    if (!(await tasks.isPastSession(sessionId, endedBefore))) return;
    // Fails if it is not empty.
    await fs.rmdir(directory).catch(() => undefined);
  }

  /** The /tmp of the commands of a session is removed as late as its other files. */
  async #sweepTemporary(goOn: () => boolean): Promise<void> {
    const { tasksDirectory, tasks, keptMs, now, lookedInto = LOOKED_INTO } = this.options;
    const directory = join(tasksDirectory, 'tmp');
    const sessions = (await entriesOf(directory)).filter(({ name }) => SESSION.test(name));
    for (const { name } of sessions.slice(0, lookedInto)) {
      if (!goOn()) return;
      if (!(await tasks.isPastSession(name, now() - keptMs))) continue;
      await fs.rm(join(directory, name), { recursive: true, force: true });
    }
  }

  async #isAbandoned(directory: string, { kind, id, names }: FilesOfTask): Promise<boolean> {
    const { isRunning, now } = this.options;
    for (const name of names) {
      const stats = await fs.lstat(join(directory, name)).catch(() => undefined);
      if (stats && stats.mtimeMs > now() - UNLISTED_MS) return false;
    }
    const isCommand = names.includes(`${kind}-${id}.intent`);
    return !isCommand || !(await isRunning(directory, kind, id));
  }
}

function groupsOf(entries: readonly Dirent[]): Map<string, FilesOfTask> {
  const groups = new Map<string, FilesOfTask>();
  for (const entry of entries) {
    const [, kind, id] = TASK_FILE.exec(entry.name) ?? [];
    if (kind === undefined || id === undefined || entry.isDirectory()) continue;
    const key = `${kind}-${id}`;
    const group = groups.get(key) ?? { kind, id, names: [] };
    group.names.push(entry.name);
    groups.set(key, group);
  }
  return groups;
}

/** A file that cannot be removed is retried by the next sweep. */
async function remove(
  directory: string,
  { names }: FilesOfTask,
  removed: RemovedFiles,
): Promise<void> {
  let files = 0;
  for (const name of names) {
    const path = join(directory, name);
    try {
      const stats = await fs.lstat(path);
      await fs.unlink(path);
      files += 1;
      if (stats.isFile()) removed.bytes += stats.size;
    } catch {
      // Already removed, or not permitted.
    }
  }
  if (files > 0) removed.tasks += 1;
  removed.files += files;
}

/** Does not follow links, whose targets are not ours. */
async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    if (!(await fs.lstat(directory)).isDirectory()) return [];
    return await fs.readdir(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
