import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InboxItem, Task, TaskOutput } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  openSession,
  startDaemon,
  submit,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MB = 1024 * 1024;
/** `npm run campaign:tasks` sends more through one task. */
const FLOOD_BYTES = Number(process.env['STOA_FLOOD_BYTES'] ?? 200 * MB);
const KEPT_BYTES = 10 * MB;

let daemon: TestDaemon;
let owner: Caller;
const workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
beforeAll(async () => {
  daemon = await startDaemon();
  owner = callerOf(daemon.url, daemon.token);
});
afterAll(async () => {
  // They would outlive the daemon: that is what they are for.
  for (const sessionId of sessionIds) await owner.post(`/v1/sessions/${sessionId}/tasks/stop`);
  await daemon.cleanUp();
  rmSync(daemon.home, { recursive: true, force: true });
  rmSync(workspace, { recursive: true, force: true });
});

const sessionIds: string[] = [];
let agents = 0;
/** An agent that runs one command on request, and acknowledges everything else. */
async function begin(input: Readonly<Record<string, unknown>>): Promise<string> {
  agents += 1;
  const agentId = `worker-${String(agents)}`;
  const script = {
    turns: [
      {
        when: { contains: 'BEGIN NOW' },
        steps: [{ call: { tool: 'shell', input, as: 'out' } }, { say: '$' + '{results.out}' }],
      },
    ],
    otherwise: [{ pass: true }],
  };
  const driver = { kind: 'script', script: JSON.stringify(script) };
  await owner.put(`/v1/agents/${agentId}`, { driver, mode: 'full' });
  const sessionId = await openSession(owner, { agentId, workspace });
  sessionIds.push(sessionId);
  await submit(owner, sessionId, 'BEGIN NOW');
  return sessionId;
}

const tasksOf = async (sessionId: string): Promise<Task[]> =>
  (await owner.get<{ tasks: Task[] }>(`/v1/tasks?sessionId=${sessionId}`)).json.tasks;
const read = async (taskId: string): Promise<Task> =>
  (await owner.get<Task>(`/v1/tasks/${taskId}`)).json;
const output = async (taskId: string, offset = 0): Promise<TaskOutput> =>
  (await owner.get<TaskOutput>(`/v1/tasks/${taskId}/output?offset=${String(offset)}`)).json;
const only = (sessionId: string): Promise<Task> =>
  until('there is a task and its process', async () =>
    (await tasksOf(sessionId)).find(({ detail }) => detail['pid'] !== undefined),
  );
const printed = (taskId: string, text: string): Promise<boolean> =>
  until(`it has printed ${text}`, async () => (await output(taskId)).text.includes(text));
const ended = (taskId: string): Promise<Task> =>
  until(
    `${taskId} has ended`,
    async () => {
      const task = await read(taskId);
      return task.end && task;
    },
    { timeoutMs: 600_000, everyMs: 50 },
  );

/** The notices that the session got about a task. */
async function notices(sessionId: string, taskId: string): Promise<InboxItem[]> {
  const path = `/v1/sessions/${sessionId}/inbox?limit=100`;
  const { items } = (await owner.get<{ items: InboxItem[] }>(path)).json;
  return items.filter(({ metadata }) => metadata['taskId'] === taskId);
}

/** What its processes say of themselves: which one, and since when. */
function processOf(task: Task): string {
  const pid = JSON.stringify(task.detail['pid']);
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return `${pid} since ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}`;
}

function isAlive(task: Task): boolean {
  try {
    const stat = readFileSync(`/proc/${JSON.stringify(task.detail['pid'])}/stat`, 'latin1');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

const waiting = (name: string): string =>
  `echo begun; until [ -e ${name} ]; do sleep 0.02; done; echo after`;

describe('shells in the background of a daemon', () => {
  it('T-1 a failing command has failed, and its session gets one notice with exit code and tail', async () => {
    const sessionId = await begin({ command: 'echo last words; false', is_background: true });
    const { taskId } = await only(sessionId);
    expect(await ended(taskId)).toMatchObject({ status: 'failed', end: { exitCode: 1 } });
    const sent = await until('its session was informed', async () => {
      const items = await notices(sessionId, taskId);
      return items.length > 0 && items;
    });
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(sent)).toMatch(/exit code 1.*last words/);
  });

  it('T-3 a command that is stopped is cancelled when it is gone, and cannot be stopped again', async () => {
    const stubborn = `trap '' TERM; echo ready; while :; do sleep 300; done`;
    const sessionId = await begin({ command: stubborn, is_background: true });
    const { taskId } = await only(sessionId);
    await printed(taskId, 'ready');
    const stopping = owner.post<Task>(`/v1/tasks/${taskId}/stop`);
    const seen = await until('it is being stopped', async () => {
      const task = await read(taskId);
      return (task.stopping ?? task.end) && task;
    });
    if (!seen.end)
      expect(seen).toMatchObject({ status: 'running', stopping: { by: 'human:owner' } });
    const { json: stopped } = await stopping;
    expect(stopped).toMatchObject({
      status: 'cancelled',
      end: { cause: 'stopped', by: 'human:owner', signal: 'SIGKILL' },
    });
    expect(isAlive(stopped)).toBe(false);
    const again = await owner.post<{ code: string }>(`/v1/tasks/${taskId}/stop`);
    expect(again).toMatchObject({ status: 409, json: { code: 'task_not_running' } });
    await until(
      'its session was informed',
      async () => (await notices(sessionId, taskId)).length > 0,
    );
    expect(await notices(sessionId, taskId)).toHaveLength(1);
  });

  it('T-5 what a call waits for is listed and promoted, and goes on as it was', async () => {
    const sessionId = await begin({ command: waiting('go-5') });
    const waited = await only(sessionId);
    expect(waited).toMatchObject({ isForeground: true, status: 'running' });
    await printed(waited.taskId, 'begun');
    const before = processOf(waited);
    const { status, json } = await owner.post<Task>(`/v1/sessions/${sessionId}/promote`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ taskId: waited.taskId, startedAt: waited.startedAt });
    expect(json.isForeground).toBe(false);
    expect(processOf(json)).toBe(before);
    writeFileSync(join(workspace, 'go-5'), '');
    expect(await ended(waited.taskId)).toMatchObject({ status: 'completed', end: { exitCode: 0 } });
    expect((await output(waited.taskId)).text).toBe('begun\nafter\n');
  });

  it('T-7 if no call waits for the task, nothing is promoted and an error reports it', async () => {
    const sessionId = await begin({ command: 'sleep 300', is_background: true });
    const { taskId } = await only(sessionId);
    for (const path of [`/v1/sessions/${sessionId}/promote`, `/v1/tasks/${taskId}/promote`]) {
      const refused = await owner.post<{ code: string }>(path);
      expect(refused).toMatchObject({ status: 409, json: { code: 'task_not_foreground' } });
    }
    await owner.post(`/v1/tasks/${taskId}/stop`);
  });

  it('T-35 a command takes messages when its input is open, and says why when it is not', async () => {
    const open = await begin({
      command: 'read -r line; echo "got $line"',
      is_background: true,
      stdin: true,
    });
    const closed = await begin({ command: 'sleep 300', is_background: true });
    const [first, second] = [await only(open), await only(closed)];
    const message = { text: 'hello' };
    expect(await owner.post(`/v1/tasks/${first.taskId}/message`, message)).toMatchObject({
      status: 202,
    });
    await printed(first.taskId, 'got hello');
    const refused = await owner.post<{ code: string; detail: string }>(
      `/v1/tasks/${second.taskId}/message`,
      message,
    );
    expect(refused).toMatchObject({ status: 409, json: { code: 'task_takes_no_message' } });
    expect(JSON.stringify(refused.json)).toMatch(/standard input is closed/);
    await owner.post(`/v1/tasks/${second.taskId}/stop`);
  });

  it('T-13 a flood leaves the daemon as it was and the disk within its cap, and its end is right', async () => {
    // Until here nobody read of this one: what is loaded for the first of them is loaded.
    await ended((await only(await begin({ command: 'true', is_background: true }))).taskId);
    const before = residentBytes();
    let [most, onDisk] = [0, 0];
    const started = performance.now();
    const command = `yes 0123456789abcde | head -c ${String(FLOOD_BYTES)}; echo; echo THE END`;
    const { taskId, outputPath = '' } = await only(await begin({ command, is_background: true }));
    const look = (): void => {
      most = Math.max(most, residentBytes() - before);
      onDisk = Math.max(onDisk, bytesOnDisk(outputPath));
    };
    const sampling = setInterval(look, 50);
    const task = await ended(taskId).finally(() => {
      clearInterval(sampling);
    });
    look();
    const seconds = (performance.now() - started) / 1_000;
    console.log(
      `T-13: ${String(FLOOD_BYTES / MB)} MB in ${seconds.toFixed(1)} s, memory +${(most / MB).toFixed(1)} MB, disk ${(onDisk / MB).toFixed(1)} MB`,
    );
    expect(task).toMatchObject({ status: 'completed' });
    expect(most).toBeLessThanOrEqual(20 * MB);
    expect(onDisk).toBeLessThanOrEqual(KEPT_BYTES);
    const { size } = await output(taskId);
    expect(size).toBe(FLOOD_BYTES + '\nTHE END\n'.length);
    expect((await output(taskId, size - 100)).text).toMatch(/0123456789abcde\n[^]*THE END\n$/);
    // What is missing is missed: the answer begins where what is kept goes on.
    const gap = await output(taskId, 4 * MB);
    expect(gap.offset).toBeGreaterThan(4 * MB);
    expect(gap.oldestOffset).toBe(gap.offset);
  }, 600_000);
});

describe.each(['gracefully', 'by kill -9'])('a daemon that ends %s', (how) => {
  it('T-16 leaves three shells running, which the next one takes up with their output and exits', async () => {
    const name = how === 'gracefully' ? 'a' : 'b';
    const sessions = await Promise.all(
      [1, 2, 3].map((index) =>
        begin({
          command: `${waiting(`go-${name}-${String(index)}`)}; exit ${String(index)}`,
          is_background: true,
        }),
      ),
    );
    const before = await Promise.all(sessions.map(only));
    for (const { taskId } of before) await printed(taskId, 'begun');
    const processes = before.map(processOf);
    const { home } = daemon;
    if (how === 'gracefully') await daemon.stop();
    else await daemon.kill();
    expect(before.map(processOf)).toEqual(processes);
    const go = (index: number): void => {
      writeFileSync(join(workspace, `go-${name}-${String(index)}`), '');
    };
    // One ends while no daemon is there.
    go(1);
    const [first, second, third] = before;
    await until('the first has ended', () => first && !isAlive(first));
    daemon = await startDaemon({ home });
    owner = callerOf(daemon.url, daemon.token);
    expect(await ended(first?.taskId ?? '')).toMatchObject({
      status: 'failed',
      end: { exitCode: 1 },
    });
    for (const [index, task] of [second, third].entries()) {
      const now = await read(task?.taskId ?? '');
      expect(now.status).toBe('running');
      expect(processOf(now)).toBe(processes[index + 1]);
    }
    go(2);
    go(3);
    for (const [index, { taskId, sessionId }] of before.entries()) {
      expect(await ended(taskId)).toMatchObject({ end: { cause: 'exited', exitCode: index + 1 } });
      expect((await output(taskId)).text).toBe('begun\nafter\n');
      await until(
        'its session was informed',
        async () => (await notices(sessionId, taskId)).length > 0,
      );
      expect(await notices(sessionId, taskId)).toHaveLength(1);
    }
  });
});

function residentBytes(): number {
  const status = readFileSync(`/proc/${String(daemon.pid)}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

function bytesOnDisk(path: string): number {
  const directory = join(path, '..');
  const own = path.slice(directory.length + 1);
  return readdirSync(directory)
    .filter((name) => name.startsWith(own))
    .reduce((sum, name) => {
      try {
        return sum + statSync(join(directory, name)).size;
      } catch {
        // Dropped while it was read.
        return sum;
      }
    }, 0);
}
