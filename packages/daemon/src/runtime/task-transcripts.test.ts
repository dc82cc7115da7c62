import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Core, FileFate, LogEntry } from '@stoa/core';
import type { TaskEntry } from '@stoa/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TaskTranscripts } from './task-transcripts.js';
import { readTranscript } from './transcript-file.js';

const WORKS_IN = `ses_${'1'.repeat(26)}`;
const TASK_ID = `tsk_${'2'.repeat(26)}`;

let root: string;
let path: string;
/** How many events the journal of the session has. */
let head: number;
/** The path that was written down, where it is not that of the file. */
let written: string | undefined;
/** The outcome of the task. */
let status: string;
/** What may become of its files. */
let fate: FileFate;
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'stoa-transcripts-'));
  path = join(root, 'owner', `agent-${TASK_ID}.jsonl`);
  head = 0;
  status = 'running';
  fate = 'kept';
  written = undefined;
});
afterEach(() => fs.rm(root, { recursive: true, force: true }));

const task = (): TaskEntry =>
  ({
    taskId: TASK_ID,
    location: 'here',
    transcriptPath: written ?? path,
    detail: { sessionId: WORKS_IN },
  }) as never;
/** The two things of the domain that a transcript is made from. */
const core: Core = {
  tasks: {
    // On its second page, as when there are many.
    list: (_: unknown, query: { kind: string; status: string; before?: string }) => {
      if (query.kind !== 'agent' || query.status !== status) return Promise.resolve({ tasks: [] });
      return Promise.resolve(query.before ? { tasks: [task()] } : { tasks: [], nextBefore: '2' });
    },
    fileFates: (ids: readonly string[]) => Promise.resolve(new Map(ids.map((id) => [id, fate]))),
  },
  runs: {
    journal: (_: unknown, __: string, { after }: { after: number }) => {
      const last = Math.min(head, after + 2);
      const entries = [];
      for (let seq = after + 1; seq <= last; seq += 1) entries.push({ seq, type: 'note' });
      return Promise.resolve({ entries, ...(last < head ? { nextAfter: last } : {}) });
    },
  },
} as never;
const transcripts = (fileBytes?: number, location = 'here'): TaskTranscripts =>
  new TaskTranscripts({
    tasksDirectory: root,
    location,
    core,
    keptMs: 1_000,
    diagnose: (message, details) => {
      throw new Error(message, { cause: details });
    },
    ...(fileBytes === undefined ? {} : { fileBytes }),
  });
const event = (topic: string, type: string, data: unknown): LogEntry =>
  ({ topic: `session:${topic}`, type, body: JSON.stringify(data), at: 7 }) as never;
const created = (): LogEntry => event('owner', 'background_task_created', { task: task() });
const noted = (): LogEntry => event(WORKS_IN, 'note', {});
const lines = async (): Promise<{ seq?: number; type: string }[]> =>
  (await fs.readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
const numbers = async () => (await lines()).flatMap(({ seq }) => seq ?? []);

it('T-40 a transcript has every line of the journal once, regardless of repeated events', async () => {
  const writer = transcripts();
  head = 3;
  writer.committed([created(), noted(), noted()]);
  head = 5;
  writer.committed([noted(), event('other', 'note', {})]);
  await writer.close();
  expect(await numbers()).toEqual([1, 2, 3, 4, 5]);
  expect((await lines())[0]).toMatchObject({ type: 'background_task_created' });
  expect((await fs.stat(path)).mode & 0o777).toBe(0o600);
});

it('T-40 after a crash it continues, and an incomplete line is removed', async () => {
  const writer = transcripts();
  head = 3;
  writer.committed([created()]);
  await writer.close();
  await fs.appendFile(path, '{"seq":4,"ty');
  head = 6;
  const next = transcripts();
  await next.recover();
  await next.close();
  expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6]);
  next.committed([event('owner', 'background_task_evicted', { taskId: TASK_ID })]);
  await expect.poll(() => fs.stat(path).catch(() => 'gone')).toBe('gone');
});

it('T-40 it grows to its limit, ends with a note, and stays there', async () => {
  const writer = transcripts(300);
  head = 100;
  writer.committed([noted(), created()]);
  await writer.close();
  const full = await fs.readFile(path, 'utf8');
  expect(full.length).toBeLessThan(400);
  expect((await lines()).at(-1)).toEqual({ type: 'transcript_full', bytes: 300 });
  head = 200;
  const next = transcripts(300);
  await next.recover();
  next.committed([noted()]);
  await next.close();
  expect(await fs.readFile(path, 'utf8')).toBe(full);
});

it('T-40 the transcript of another daemon is not written here', async () => {
  head = 3;
  const other = transcripts(undefined, 'there');
  await other.recover();
  other.committed([noted()]);
  await other.close();
  await expect(fs.stat(path)).rejects.toThrow('ENOENT');
});

it('T-18 a link with its name is not followed', async () => {
  await fs.mkdir(join(root, 'owner'));
  const elsewhere = join(root, 'elsewhere');
  await fs.writeFile(elsewhere, 'mine');
  await fs.symlink(elsewhere, path);
  const reported: string[] = [];
  const diagnose = (message: string): unknown => reported.push(message);
  const writer = new TaskTranscripts({
    tasksDirectory: root,
    location: 'here',
    core,
    keptMs: 1_000,
    diagnose,
  });
  head = 1;
  writer.committed([created()]);
  await writer.close();
  expect(reported).toEqual(['a transcript could not be written']);
  expect(await fs.readFile(elsewhere, 'utf8')).toBe('mine');
  expect(await readTranscript(path, { offset: 0, limit: 10 })).toBeUndefined();
});

it('is read by bytes, in whole characters', async () => {
  await fs.mkdir(join(root, 'owner'));
  await fs.writeFile(path, 'a€b');
  expect(await readTranscript(path, { offset: 0, limit: 3 })).toMatchObject({
    text: 'a',
    nextOffset: 1,
    size: 5,
  });
  expect(await readTranscript(path, { offset: 1, limit: 100 })).toMatchObject({
    text: '€b',
    nextOffset: 5,
  });
  expect(await readTranscript(path, { offset: 99, limit: 1 })).toMatchObject({
    offset: 5,
    text: '',
  });
});

it('T-43 the transcript of a task that ended before a restart is removed with the task', async () => {
  const writer = transcripts();
  head = 3;
  writer.committed([created()]);
  await writer.close();
  status = 'failed';
  const next = transcripts();
  await next.recover();
  next.committed([event('owner', 'background_task_evicted', { taskId: TASK_ID })]);
  await expect.poll(() => fs.stat(path).catch(() => 'gone')).toBe('gone');
});

it('T-40 it continues in a moved data directory, and not in the old one', async () => {
  const old = join(root, 'old');
  written = join(old, 'tasks', 'owner', `agent-${TASK_ID}.jsonl`);
  head = 3;
  const writer = transcripts();
  await writer.recover();
  await writer.close();
  expect(await numbers()).toEqual([1, 2, 3]);
  await expect(fs.stat(old)).rejects.toThrow('ENOENT');
});

it('T-43 the transcript of a session that ended long ago is not written again after a start', async () => {
  status = 'completed';
  head = 3;
  fate = 'past';
  const writer = transcripts();
  await writer.recover();
  await writer.close();
  await expect(fs.stat(path)).rejects.toThrow('ENOENT');
});
