import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionEvent, Stamped } from '@stoa/protocol';
import {
  askSession,
  type Caller,
  callerOf,
  openSession,
  outputOf,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

/** Starts the requested monitor, and repeats its events. */
const SCRIPT = `
turns:
  - when: { kind: task_notice }
    steps:
      - say: 'Received: \${input}'
  - when: { matches: '^watch (.*)$' }
    steps:
      - call: { tool: monitor, input: { command: '\${match.1}' } }
      - say: '\${result}'
`;

/** The test says when a command goes on, by making this file. */
const untilThere = (file: string): string => `until [ -e ${file} ]; do sleep 0.02; done`;

describe('monitors of a daemon', () => {
  const home = mkdtempSync(join(tmpdir(), 'stoa-test-'));
  let daemon: TestDaemon;
  let owner: Caller;
  let workspace: string;
  let sessionId: string;

  beforeAll(async () => {
    daemon = await startDaemon({ home });
    owner = callerOf(daemon.url, daemon.token);
    await owner.put('/v1/agents/watcher', {
      driver: { kind: 'script', script: SCRIPT },
      mode: 'full',
    });
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(async () => {
    await owner.post(`/v1/sessions/${sessionId}/end`, {});
    rmSync(workspace, { recursive: true, force: true });
  });

  async function newSession(): Promise<void> {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
    sessionId = await openSession(owner, { agentId: 'watcher', workspace });
  }

  async function events(): Promise<Stamped<SessionEvent>[]> {
    const path = `/v1/topics/session:${sessionId}/events?limit=200`;
    return (await owner.get<{ events: Stamped<SessionEvent>[] }>(path)).json.events;
  }

  /** The last texts of the agent's runs, in order. */
  async function outputs(): Promise<string[]> {
    return (await events()).flatMap((event) =>
      event.type === 'completed'
        ? event.data.output.map((item) => (item.type === 'text' ? item.text : ''))
        : [],
    );
  }

  const receivedLines = async (): Promise<string[]> =>
    (await outputs())
      .filter((text) => text.startsWith('Received: '))
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.startsWith('#'));

  async function ask(text: string): Promise<string> {
    const run = await askSession(owner, sessionId, text);
    expect(run.status).toBe('completed');
    return outputOf(run);
  }

  async function watch(command: string): Promise<string> {
    const answer = await ask(`watch ${command}`);
    const taskId = /tsk_\w+/.exec(answer)?.[0];
    if (taskId === undefined) throw new Error(answer);
    return taskId;
  }

  type Ended = Extract<SessionEvent, { type: 'background_task_ended' }>['data'];

  const endOf = async (taskId: string): Promise<Ended | undefined> =>
    (await events())
      .flatMap((event) => (event.type === 'background_task_ended' ? [event.data] : []))
      .find((end) => end.taskId === taskId);

  const ended = (taskId: string): Promise<Ended> =>
    until(`${taskId} has ended`, () => endOf(taskId));

  it('T-19 T-27 wake their session with lines, say what was dropped, and keep all in a log', async () => {
    await newSession();
    const taskId = await watch('seq 1 100');
    const { status, detail } = await ended(taskId);
    expect([status, detail]).toEqual([
      'completed',
      expect.objectContaining({ events: 5, dropped: 95 }),
    ]);
    const end = await until('its end arrived', async () =>
      (await outputs()).find((text) => /Received: .*completed/s.test(text)),
    );
    expect(end).toContain('95');
    expect(await receivedLines()).toEqual(['#1 1', '#2 2', '#3 3', '#4 4', '#5 5']);
    const log = readFileSync(join(home, 'tasks', sessionId, `monitor-${taskId}.output`), 'utf8');
    expect(log.trimEnd().split('\n')).toHaveLength(100);
  });

  it('T-16 go on when the daemon is killed, and tell every line once', async () => {
    await newSession();
    const command = `echo one; ${untilThere('go')}; echo two; ${untilThere('on')}; echo three`;
    const taskId = await watch(command);
    await until('the first line arrived', async () => (await receivedLines()).length === 1);
    await daemon.kill();
    // What it prints while nobody looks is there for who comes next.
    writeFileSync(join(workspace, 'go'), '');
    daemon = await startDaemon({ home });
    owner = callerOf(daemon.url, daemon.token);
    await until('the second line arrived', async () => (await receivedLines()).length === 2);
    expect(await endOf(taskId)).toBeUndefined();
    await daemon.kill();
    // Nor does it need anybody to end.
    writeFileSync(join(workspace, 'on'), '');
    const status = join(home, 'tasks', sessionId, `monitor-${taskId}.status`);
    await until('it has ended', () => readFileSync(status, 'utf8').includes('exitCode'));
    daemon = await startDaemon({ home });
    owner = callerOf(daemon.url, daemon.token);
    expect(await ended(taskId)).toMatchObject({
      status: 'completed',
      end: { cause: 'exited', exitCode: 0 },
      detail: { events: 3, dropped: 0 },
    });
    await until('its end arrived', async () => /completed/.test((await outputs()).at(-1) ?? ''));
    expect(await receivedLines()).toEqual(['#1 one', '#2 two', '#3 three']);
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
  });

  it('T-34 end silently with their session', async () => {
    await newSession();
    const taskId = await watch(`echo begun; ${untilThere('never')}`);
    await until('its line arrived', async () => (await receivedLines()).length === 1);
    expect((await owner.post(`/v1/sessions/${sessionId}/end`, {})).status).toBe(200);
    const { status, end, noticeItemId } = await ended(taskId);
    expect([status, end.cause, end.by]).toEqual(['cancelled', 'stopped', 'system']);
    expect(noticeItemId).toBeUndefined();
  });
});
