import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Approval, InboxItem, Run, Task, TaskOutput } from '@stoa/protocol';
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
const placeholder = (name: string): string => ['$', '{', name, '}'].join('');

/** Does what its message says: starts an agent, or reads a file. */
const BOSS = {
  turns: [
    ...(['foreground', 'background'] as const).map((how) => ({
      when: { kind: 'input', matches: `${how} (.*)` },
      repeat: 'forever',
      steps: [
        {
          call: {
            tool: 'agent',
            as: 'out',
            input: {
              description: how,
              prompt: placeholder('match.1'),
              agent: 'worker',
              run_in_background: how === 'background',
            },
          },
        },
        { say: placeholder('results.out') },
      ],
    })),
    {
      when: { kind: 'input', matches: 'read (\\S+)' },
      repeat: 'forever',
      steps: [
        { call: { tool: 'read_file', as: 'out', input: { path: placeholder('match.1') } } },
        { say: `${placeholder('results.out.outcome')}: ${placeholder('results.out')}` },
      ],
    },
    {
      when: { kind: 'input', matches: 'stop (\\S+)' },
      repeat: 'forever',
      steps: [
        { call: { tool: 'task_stop', as: 'out', input: { task_id: placeholder('match.1') } } },
        { say: placeholder('results.out') },
      ],
    },
    {
      when: { kind: 'input', matches: 'status (\\S+)' },
      repeat: 'forever',
      steps: [
        { call: { tool: 'task_status', as: 'all', input: {} } },
        { call: { tool: 'task_output', as: 'out', input: { task_id: placeholder('match.1') } } },
        { say: `${placeholder('results.all')}\n${placeholder('results.out')}` },
      ],
    },
    {
      when: { kind: 'input', matches: 'message (\\S+) (.*)' },
      repeat: 'forever',
      steps: [
        {
          call: {
            tool: 'send_message',
            as: 'out',
            input: { to: placeholder('match.1'), message: placeholder('match.2') },
          },
        },
        { say: placeholder('results.out') },
      ],
    },
  ],
  otherwise: [{ pass: true }],
};

const WORKER = {
  turns: [
    {
      when: { matches: 'wait for (\\S+)' },
      repeat: 'forever',
      steps: [
        {
          call: {
            tool: 'shell',
            input: { command: `until [ -e ${placeholder('match.1')} ]; do sleep 0.05; done` },
          },
        },
        { say: `waited, ${placeholder('outcome')} ${placeholder('injected')}` },
      ],
    },
    {
      when: { contains: 'ask' },
      repeat: 'forever',
      steps: [{ call: { tool: 'ask_user', input: { question: 'Really?' } } }, { say: 'asked' }],
    },
    { repeat: 'forever', steps: [{ say: `I received: ${placeholder('input')}` }] },
  ],
};

let daemon: TestDaemon;
let owner: Caller;
beforeAll(async () => {
  daemon = await startDaemon();
  owner = callerOf(daemon.url, daemon.token);
  for (const [name, script] of Object.entries({ boss: BOSS, worker: WORKER })) {
    const driver = { kind: 'script', script: JSON.stringify(script) };
    const mode = name === 'boss' ? 'ask' : 'full';
    await owner.put(`/v1/agents/${name}`, { driver, mode });
  }
});
afterAll(async () => {
  writeFileSync(join(workspace, 'go'), '');
  await daemon.cleanUp();
  rmSync(workspace, { recursive: true, force: true });
});

const open = (mode = 'ask'): Promise<string> =>
  openSession(owner, { agentId: 'boss', workspace, mode });
const ask = async (sessionId: string, text: string): Promise<string> =>
  outputOf(await askSession(owner, sessionId, text));
const tasksOf = async (sessionId: string): Promise<Task[]> =>
  (await owner.get<{ tasks: Task[] }>(`/v1/tasks?sessionId=${sessionId}`)).json.tasks;
const taskOf = (sessionId: string): Promise<Task> =>
  until('there is a task', async () => (await tasksOf(sessionId))[0]);
const read = async (taskId: string): Promise<Task> =>
  (await owner.get<Task>(`/v1/tasks/${taskId}`)).json;
const ended = (taskId: string): Promise<Task> =>
  until(
    `${taskId} has ended`,
    async () => {
      const task = await read(taskId);
      return task.end && task;
    },
    { timeoutMs: 60_000 },
  );
const notices = async (sessionId: string): Promise<InboxItem[]> => {
  const path = `/v1/sessions/${sessionId}/inbox?limit=100&kind=task_notice`;
  return (await owner.get<{ items: InboxItem[] }>(path)).json.items;
};
const transcriptOf = ({ transcriptPath = '' }: Task): string => transcriptPath;

describe('agents as background tasks of a daemon', () => {
  it('T-36 an agent that is waited for is listed while it works, and its words are the answer of the call', async () => {
    const sessionId = await open('full');
    const answer = ask(sessionId, 'foreground wait for foreground-go');
    const task = await taskOf(sessionId);
    expect(task).toMatchObject({ kind: 'agent', isForeground: true, status: 'running' });
    writeFileSync(join(workspace, 'foreground-go'), '');
    expect(await answer).toContain('waited, ok');
    expect(await read(task.taskId)).toMatchObject({ status: 'completed', notice: 'none' });
    expect(await notices(sessionId)).toEqual([]);
  });

  it('T-40 only the parent of an agent may read its transcript without an approval', async () => {
    const sessionId = await open();
    expect(await ask(sessionId, 'background hello')).toMatch(
      /^It works as tsk_\w+\. You will be notified when it has ended\.$/,
    );
    const { taskId } = await taskOf(sessionId);
    const task = await ended(taskId);
    const path = transcriptOf(task);
    expect(path).toBe(join(daemon.home, 'tasks', sessionId, `agent-${taskId}.jsonl`));
    const lines = await until('all of it is written', () => {
      if (!existsSync(path)) return undefined;
      const text = readFileSync(path, 'utf8');
      return text.includes('background_task_ended') && text.trim().split('\n');
    });
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(expect.arrayContaining(['accepted', 'model_message', 'completed']));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { json } = await owner.get<TaskOutput>(`/v1/tasks/${taskId}/output?offset=0`);
    expect(json.text).toContain('I received: hello');
    expect(await ask(sessionId, `read ${path}`)).toMatch(/^ok: .*I received: hello/s);
    expect(await ask(await open(), `read ${path}`)).toMatch(/closed to agents/);
    const sent = await notices(sessionId);
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(sent)).toContain('I received: hello');
    expect(await ask(sessionId, `status ${taskId}`)).toContain(`${taskId} agent completed`);
  });

  it('T-32 a question of an agent reaches the person; after its parent stops it there is no further notice', async () => {
    const sessionId = await open();
    await ask(sessionId, 'background ask me');
    const { taskId } = await taskOf(sessionId);
    await until('it waits for a person', async () => (await read(taskId)).pendingApprovals === 1);
    const asked = await owner.get<{ approvals: Approval[] }>('/v1/approvals?state=pending');
    const approval = asked.json.approvals.find(({ detail: _, ...one }) => one.tool === 'ask_user');
    expect(approval?.sessionId).toBe((await read(taskId)).detail['sessionId']);
    expect(await ask(sessionId, `stop ${taskId}`)).toContain('cancelled');
    const after = await owner.get<Approval>(`/v1/approvals/${approval?.approvalId ?? ''}`);
    expect(after.json.state).toBe('withdrawn');
    expect(await read(taskId)).toMatchObject({ status: 'cancelled', pendingApprovals: 0 });
    expect(await notices(sessionId)).toEqual([]);
    expect(await ask(sessionId, `message ${taskId} hello`)).toContain('task_takes_no_message');
  });

  it('T-31 an agent that has completed goes on by a message, and tells of its end again', async () => {
    const sessionId = await open();
    await ask(sessionId, 'background first');
    const { taskId } = await taskOf(sessionId);
    await ended(taskId);
    expect(await ask(sessionId, `message ${taskId} second`)).toContain(`${taskId} is running`);
    await until('it has reported again', async () => {
      const { detail, end } = await read(taskId);
      return end !== undefined && detail['result'] === 'I received: second';
    });
    expect(await notices(sessionId)).toHaveLength(2);
  });

  it('T-29 an agent that was killed with its daemon is paused until it is resumed', async () => {
    const sessionId = await open('full');
    await ask(sessionId, 'background wait for go');
    const { taskId, detail } = await taskOf(sessionId);
    const worksIn = detail['sessionId'] as string;
    const attempts = async (): Promise<number> => {
      const { json } = await owner.get<{ runs: Run[] }>(`/v1/sessions/${worksIn}/runs`);
      return json.runs[0]?.attempts ?? 0;
    };
    await until('it works', async () => (await attempts()) === 1);
    await daemon.kill();
    daemon = await startDaemon({ home: daemon.home });
    owner = callerOf(daemon.url, daemon.token);
    expect(await read(taskId)).toMatchObject({ status: 'paused' });
    expect(await attempts()).toBe(1);
    expect(await ask(sessionId, `message ${taskId} hurry`)).toContain(`${taskId} is running`);
    const done = await ended(taskId);
    expect(done).toMatchObject({ status: 'completed', end: { cause: 'finished' } });
    expect(done.detail['result']).toMatch(/waited, unknown.*hurry/s);
    expect(await attempts()).toBe(2);
    const lines = readFileSync(transcriptOf(done), 'utf8').trim().split('\n');
    const numbers = lines.flatMap((line) => (JSON.parse(line) as { seq?: number }).seq ?? []);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });
});
