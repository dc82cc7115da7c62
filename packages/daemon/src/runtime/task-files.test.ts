import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileFate } from '@stoa/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TaskFiles, type TaskFilesOptions } from './task-files.js';

const NOW = Date.now();
const HOUR = 3_600_000;
const sessionId = (n: number): string => `ses_${String(n).padStart(26, '0')}`;
const id = (n: number): string => `tsk_${String(n).padStart(26, '0')}`;

let root: string;
let tasksDirectory: string;
let fates: Map<string, FileFate>;
let openSessions: Set<string>;
let running: Set<string>;
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'stoa-task-files-'));
  tasksDirectory = join(root, 'tasks');
  fates = new Map();
  openSessions = new Set();
  running = new Set();
});
afterEach(() => fs.rm(root, { recursive: true, force: true }));

const taskFiles = (more: Partial<TaskFilesOptions> = {}): TaskFiles =>
  new TaskFiles({
    tasksDirectory,
    tasks: {
      fileFates: (ids, endedBefore) => {
        expect(endedBefore).toBe(NOW - 5 * HOUR);
        return Promise.resolve(new Map(ids.map((one) => [one, fates.get(one) ?? 'unlisted'])));
      },
      isPastSession: (session) => Promise.resolve(!openSessions.has(session)),
    },
    isRunning: (_, __, one) => Promise.resolve(running.has(one)),
    keptMs: 5 * HOUR,
    now: () => NOW,
    ...more,
  });

/** Files of five bytes, last written so long ago. */
async function leave(session: string, names: readonly string[], ageMs = 0): Promise<void> {
  await fs.mkdir(join(tasksDirectory, session), { recursive: true });
  for (const name of names) {
    const path = join(tasksDirectory, session, name);
    await fs.writeFile(path, 'bytes');
    const at = (NOW - ageMs) / 1000;
    await fs.utimes(path, at, at);
  }
}
const left = async (): Promise<string[]> =>
  (await fs.readdir(tasksDirectory, { recursive: true })).sort();

describe('files of tasks', () => {
  it('T-43 are removed with all their parts, and with the directory of an ended session', async () => {
    const parts = ['intent', 'status', 'output', 'output.3', 'input', 'jsonl'];
    await leave(
      sessionId(1),
      parts.map((part) => `shell-${id(1)}.${part}`),
    );
    await leave(sessionId(2), [`agent-${id(2)}.jsonl`, `monitor-${id(3)}.output`]);
    openSessions.add(sessionId(2));
    fates = new Map([
      [id(1), 'past'],
      [id(2), 'past'],
      [id(3), 'kept'],
    ]);
    const sweeper = taskFiles();
    expect(await sweeper.sweep()).toEqual({ tasks: 2, files: 7, bytes: 35 });
    expect(await left()).toEqual([sessionId(2), join(sessionId(2), `monitor-${id(3)}.output`)]);
    expect(await sweeper.sweep()).toEqual({ tasks: 0, files: 0, bytes: 0 });
  });

  it('T-43 without a listed task are removed when they are old and no process uses them', async () => {
    const open = sessionId(1);
    openSessions.add(open);
    const [fresh, old, runs] = [1, 2, 3].map((n) => [
      `shell-${id(n)}.intent`,
      `shell-${id(n)}.output`,
    ]) as [string[], string[], string[]];
    await leave(open, [...old, ...runs], 2 * HOUR);
    await leave(open, fresh, HOUR / 2);
    running.add(id(3));
    expect(await taskFiles().sweep()).toEqual({ tasks: 1, files: 2, bytes: 10 });
    expect(await fs.readdir(join(tasksDirectory, open))).toEqual([...fresh, ...runs]);
    running.clear();
    for (const name of fresh) await fs.rm(join(tasksDirectory, open, name));
    expect(await taskFiles().sweep()).toMatchObject({ tasks: 1 });
    // It may be written to the next moment.
    expect(await left()).toEqual([open]);
    openSessions.clear();
    await taskFiles().sweep();
    expect(await left()).toEqual([]);
  });

  it('T-18 are all that is removed: no file with another name, and no target of a link', async () => {
    const elsewhere = join(root, 'elsewhere');
    await fs.mkdir(elsewhere);
    const target = join(elsewhere, `shell-${id(1)}.output`);
    await fs.writeFile(target, 'not ours');
    await leave(sessionId(1), ['notes.txt', `shell-other.output`]);
    await fs.mkdir(join(tasksDirectory, sessionId(1), `shell-${id(1)}.status`));
    await fs.symlink(target, join(tasksDirectory, sessionId(1), `shell-${id(1)}.output`));
    await leave('others', [`shell-${id(1)}.output`]);
    await fs.symlink(elsewhere, join(tasksDirectory, sessionId(2)));
    fates.set(id(1), 'past');
    expect(await taskFiles().sweep()).toEqual({ tasks: 1, files: 1, bytes: 0 });
    expect(await fs.readFile(target, 'utf8')).toBe('not ours');
    expect(await left()).toEqual(
      [
        'others',
        `others/shell-${id(1)}.output`,
        sessionId(1),
        `${sessionId(1)}/notes.txt`,
        `${sessionId(1)}/shell-${id(1)}.status`,
        `${sessionId(1)}/shell-other.output`,
        sessionId(2),
        `${sessionId(2)}/shell-${id(1)}.output`,
      ].sort(),
    );
    await fs.rename(tasksDirectory, join(root, 'moved'));
    await fs.symlink(join(root, 'moved'), tasksDirectory);
    await fs.writeFile(join(root, 'moved', sessionId(1), `shell-${id(1)}.output`), '');
    expect(await taskFiles().sweep()).toMatchObject({ tasks: 0 });
  });

  it('T-43 are removed a bounded number at a time, and the next sweep continues', async () => {
    const sessions = [1, 2, 3, 4, 5];
    for (const n of sessions) {
      await leave(sessionId(n), [`shell-${id(n)}.output`, `shell-${id(n + 10)}.output`]);
      for (const one of [id(n), id(n + 10)]) fates.set(one, 'past');
    }
    const bySession = taskFiles({ lookedInto: 2 });
    expect(await bySession.sweep(() => false)).toMatchObject({ tasks: 0 });
    expect(await bySession.sweep()).toMatchObject({ tasks: 4 });
    expect(await left()).not.toContain(sessionId(1));
    const byTask = taskFiles({ taken: 3 });
    const counts = [await byTask.sweep(), await byTask.sweep(), await byTask.sweep()];
    expect(counts.map(({ tasks }) => tasks)).toEqual([3, 3, 0]);
    expect(await left()).toEqual([]);
    expect(await taskFiles({ tasksDirectory: join(root, 'nowhere') }).sweep()).toMatchObject({
      tasks: 0,
    });
  });

  it('T-43 are removed also after a session that cannot be read, which is reported', async () => {
    for (const n of [1, 2, 3]) await leave(sessionId(n), [`shell-${id(n)}.output`]);
    const sweeper = taskFiles({
      tasks: {
        fileFates: (ids) =>
          ids.includes(id(1))
            ? Promise.reject(new Error('its entry is damaged'))
            : Promise.resolve(new Map(ids.map((one) => [one, 'past']))),
        isPastSession: () => Promise.resolve(true),
      },
    });
    await expect(sweeper.sweep()).rejects.toThrow('its entry is damaged');
    expect(await left()).toEqual([sessionId(1), join(sessionId(1), `shell-${id(1)}.output`)]);
  });

  it('T-43 are reached by a later sweep, after those that are kept', async () => {
    for (const n of [1, 2, 3]) await leave(sessionId(n), [`shell-${id(n)}.output`]);
    for (const n of [1, 2]) fates.set(id(n), 'kept');
    fates.set(id(3), 'past');
    const sweeper = taskFiles({ lookedInto: 2 });
    expect(await sweeper.sweep()).toMatchObject({ tasks: 0 });
    expect(await sweeper.sweep()).toMatchObject({ tasks: 1 });
    fates.set(id(1), 'past');
    expect(await sweeper.sweep()).toMatchObject({ tasks: 1 });
  });
});
