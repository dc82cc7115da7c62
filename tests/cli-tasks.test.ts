import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { taskSections } from '@stoa/client';
import type { Run, Session, Task } from '@stoa/protocol';
import { type Caller, callerOf, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, type Outcome, ownerOf, start } from './stoa-command.js';

let daemon: TestDaemon;
let api: Caller;
let stoa: ReturnType<typeof ownerOf>;
const workspace = mkdtempSync(join(tmpdir(), 'stoa-cli-tasks-'));

/** Starts the requested command in the background, reads the requested file, and acknowledges the rest. */
const SCRIPT = `
turns:
  - when: { kind: input, matches: "run: (.*)" }
    steps:
      - call: { tool: shell, input: { command: "\${match.1}", is_background: true }, as: out }
      - say: started
  - when: { kind: input, matches: "read: (.*)" }
    steps:
      - call: { tool: read_file, input: { path: "\${match.1}" }, as: out }
      - say: "\${results.out.outcome}"
  - when: { kind: input, matches: "wait: (.*)" }
    steps:
      - call: { tool: shell, input: { command: "\${match.1}" }, as: out }
      - say: "\${results.out}"
  - when: { kind: input, matches: "output: (.*)" }
    steps:
      - call: { tool: task_output, input: { task_id: "\${match.1}" }, as: out }
      - say: "\${results.out}"
otherwise: [{ say: noted }]`;

/** Asks before it does anything about the end of what it started. */
const CAREFUL = `
turns:
  - when: { kind: input, matches: "run: (.*)" }
    steps:
      - call: { tool: shell, input: { command: "\${match.1}", is_background: true } }
      - say: started
otherwise:
  - call: { tool: write_file, input: { path: ended, content: "yes" }, as: out }
  - say: "It is \${results.out.outcome}."`;

/** Leaves to another agent what has to be asked for. */
const DELEGATING = `
turns:
  - when: { kind: input, contains: begin }
    steps:
      - call: { tool: agent, input: { description: d, prompt: write, agent: writer, run_in_background: true } }
      - say: begun
otherwise: [{ say: noted }]`;
/** Leaves that to another, in turn. */
const MANAGING = DELEGATING.replace(
  'prompt: write, agent: writer',
  'prompt: begin, agent: delegating',
);
const WRITER = `
turns:
  - steps:
      - call: { tool: write_file, input: { path: written, content: "yes" }, as: out }
      - say: "\${results.out.outcome}"`;

/** No session ends here but the one that is to. */
const RETENTION = 'retention:\n  taskFileHours: 0.000001\n  sweepSeconds: 0.05\n';

beforeAll(async () => {
  daemon = await startDaemon({ config: RETENTION });
  api = callerOf(daemon.url, daemon.token);
  stoa = ownerOf(daemon);
  await api.put('/v1/agents/worker', { driver: { kind: 'script', script: SCRIPT }, mode: 'full' });
  await api.put('/v1/agents/careful', {
    driver: { kind: 'script', script: CAREFUL },
    permissions: { allow: ['Shell(*)'] },
    mode: 'ask',
  });
  const scripts = { managing: MANAGING, delegating: DELEGATING, writer: WRITER };
  for (const [name, script] of Object.entries(scripts)) {
    await api.put(`/v1/agents/${name}`, { driver: { kind: 'script', script }, mode: 'ask' });
  }
});
afterAll(async () => {
  // They would outlive the daemon, as they should.
  for (const { taskId } of await listed('?status=running'))
    await api.post(`/v1/tasks/${taskId}/stop`);
  await daemon.cleanUp();
  rmSync(workspace, { recursive: true, force: true });
});

interface Result {
  readonly outcome: string;
  readonly exitCode: number;
  readonly sessionId: string;
  readonly runId: string;
  readonly tasks: readonly string[];
  readonly failedTasks: readonly string[];
}
const inJson = ['--agent', 'worker', '--workspace', workspace, '--json'];
const resultOf = ({ out }: Pick<Outcome, 'out'>): Result =>
  JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Result;
const listed = async (query = ''): Promise<Task[]> =>
  (await api.get<{ tasks: Task[] }>(`/v1/tasks${query}`)).json.tasks;

describe('tasks in the terminal', () => {
  it('T-44 a run that leaves a command says so, and its exit code tells', async () => {
    const plain = await stoa(['run', ...inJson.slice(0, -1), 'run: sleep 600']);
    expect(plain.code).toBe(5);
    expect(plain.err).toMatch(
      /still running in the background: 1 shell\n.*tsk_\w+ sleep 600 \(running\)/,
    );
    const ended = await stoa(['run', ...inJson, 'run: sleep 600']);
    expect(ended.code).toBe(5);
    const { sessionId, tasks } = resultOf(ended);
    expect(tasks).toEqual((await listed(`?sessionId=${sessionId}`)).map(({ taskId }) => taskId));
    expect((await stoa(['run', ...inJson, 'read: nothing'])).code).toBe(0);
  });

  it('T-44 with --wait tasks it waits for them and for what the agent makes of it', async () => {
    const door = join(workspace, 'door');
    const waiting = start(
      ['run', ...inJson, '--wait', 'tasks', `run: until [ -e ${door} ]; do sleep 0.02; done`],
      {
        env: { STOA_HOME: daemon.home },
      },
    );
    const task = await until('the command runs', async () =>
      (await listed('?status=running')).find(({ detail }) =>
        JSON.stringify(detail['command']).includes(door),
      ),
    );
    writeFileSync(door, '');
    expect(await waiting.ended).toBe(0);
    const result = resultOf(waiting.output());
    expect(result).toMatchObject({ outcome: 'completed', tasks: [], failedTasks: [] });
    const { runs } = (await api.get<{ runs: Run[] }>(`/v1/sessions/${task.sessionId}/runs`)).json;
    expect(runs.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'task_notice completed',
      'input completed',
    ]);
    const failed = await stoa(['run', ...inJson, '--wait', 'tasks', 'run: exit 3']);
    expect(failed.code).toBe(1);
    expect(resultOf(failed).failedTasks).toHaveLength(1);
    const described = await stoa(['run', ...inJson.slice(0, -1), '--wait', 'tasks', 'run: exit 3']);
    expect(described.err).toMatch(/stoa: tsk_\w+ exit 3: failed \(exit 3\)\n/);
  });

  it('T-44 with --wait tasks nobody waits for an approval that nobody is to wait for', async () => {
    const careful = ['run', '--agent', 'careful', '--workspace', workspace, '--wait', 'tasks'];
    const left = await stoa([...careful, '--no-approval-wait', '--json', 'run: true']);
    expect(left.code).toBe(3);
    const result = resultOf(left);
    expect(result).toMatchObject({ outcome: 'needs_approval', exitCode: 3, text: 'started' });
    expect(result).toMatchObject({ output: [{ text: 'started' }], usage: { modelCalls: 0 } });
    const asking = (await api.get<Run>(`/v1/runs/${result.runId}`)).json;
    expect(asking).toMatchObject({ kind: 'task_notice', status: 'waiting_approval' });
    const asked = await stoa([...careful, '--approval-wait', '1s', 'run: true']);
    expect(asked.code).toBe(3);
    expect(asked.err).toMatch(/waiting for an approval: .*ended\n.*stoa approvals allow apr_/);
    const ask = () => start([...careful, 'run: true'], { env: { STOA_HOME: daemon.home } });
    const interrupted = ask();
    await until('it asks', () => interrupted.output().err.includes('stoa approvals allow'));
    interrupted.process.kill('SIGINT');
    expect(await interrupted.ended).toBe(5);
    expect(interrupted.output().err).toContain(
      'the session is still active; watch it with: stoa session follow ses_',
    );
    const waiting = ask();
    await until('it asks', () => waiting.output().err.includes('stoa approvals allow'));
    const [approvalId = ''] = /apr_\w+/.exec(waiting.output().err) ?? [];
    await stoa(['approvals', 'allow', approvalId]);
    expect(await waiting.ended).toBe(0);
    // Words go to standard output, and what is done to standard error, as those of the first run do.
    expect(waiting.output().out).toBe('started\nIt is ok.\n');
  });

  it('T-40 an agent that reads the output of a task is shown the last of it', async () => {
    const ended = await stoa(['run', ...inJson, 'run: seq 1 9000; sleep 600']);
    const { sessionId, tasks } = resultOf(ended);
    const [taskId = ''] = tasks;
    const ask = ['run', '--session', sessionId, `output: ${taskId}`];
    const shown = await until('all of it was printed', async () => {
      const { out } = await stoa(ask);
      return out.includes('\n9000\n') && out;
    });
    expect(shown.split('\n')[0]).toBe('Bytes 27509 to 43893 of 43893; continue at offset 43893.');
    await stoa(['tasks', 'stop', taskId]);
    expect((await stoa(['tasks', taskId])).out).toMatch(/status +stopped by human:owner after /);
  });

  it('T-3 what a tool call waits for is stopped from the terminal, which says so', async () => {
    const waiting = start(['run', ...inJson, 'wait: tail -f /dev/null'], {
      env: { STOA_HOME: daemon.home },
    });
    const task = await until('it is waited for', async () =>
      (await listed('?status=running')).find(({ isForeground }) => isForeground),
    );
    const stopped = await stoa(['tasks', 'stop', task.taskId]);
    expect(stopped.out).toBe(`${task.taskId} is stopped by human:owner.\n`);
    expect(await waiting.ended).toBe(0);
    expect(waiting.output().out).toContain('[Stopped by human:owner (SIGTERM)]');
  });

  it('T-45 the command line, the API and the sections have the same entries in the same order', async () => {
    const tasks = await listed();
    expect(tasks.length).toBeGreaterThanOrEqual(4);
    const ids = tasks.map(({ taskId }) => taskId);
    const quiet = await stoa(['tasks', '--quiet']);
    expect(quiet.out.trimEnd().split('\n')).toEqual(ids);
    expect(await json(stoa(['tasks', '--json']))).toEqual({ tasks });
    const sections = taskSections(tasks, Date.now());
    expect(sections.flatMap(({ rows }) => rows.map(({ taskId }) => taskId))).toEqual(ids);
    const table = (await stoa(['tasks'])).out.split('\n').slice(1, -1);
    expect(table.map((line) => line.split(' ')[0])).toEqual(ids);
    expect(table.join('\n')).toMatch(/shell +running .* sleep 600/);
    expect(table.join('\n')).toMatch(/shell +failed \(exit 3\) .* exit 3/);
  });

  it('T-40 one is shown, followed and stopped by its id, and its session reads its files without asking', async () => {
    const { sessionId } = (
      await api.post<Session>('/v1/sessions', { agentId: 'worker', workspace, mode: 'plan' })
    ).json;
    await api.post(`/v1/sessions/${sessionId}/inbox`, { text: 'nothing' });
    const ended = await stoa(['run', ...inJson, 'run: echo one; echo two; sleep 600']);
    const [taskId = ''] = resultOf(ended).tasks;
    const shown = await stoa(['tasks', taskId]);
    expect(shown.out).toMatch(/kind +shell/);
    expect(shown.out).toMatch(/status +running for/);
    const following = start(['tasks', taskId, '--follow'], { env: { STOA_HOME: daemon.home } });
    await until('its output is shown', () => following.output().out === 'one\ntwo\n');
    const stopped = await stoa(['tasks', 'stop', taskId]);
    expect(stopped.out).toMatch(new RegExp(`^${taskId} is stopped by human:`));
    expect(await following.ended).toBe(0);
    const again = await stoa(['tasks', 'stop', taskId]);
    expect(again).toMatchObject({ code: 1 });
    expect(again.err).toContain('task_not_running');

    const task = (await api.get<Task>(`/v1/tasks/${taskId}`)).json;
    const { outputPath = '', transcriptPath = '' } = task;
    expect(transcriptPath).toBe(
      join(daemon.home, 'tasks', task.sessionId, `shell-${taskId}.jsonl`),
    );
    expect(dirname(outputPath)).toBe(dirname(transcriptPath));
    await until('its transcript is written', () => existsSync(transcriptPath));
    // Who is asked about everything is not asked about its own files, and about another's they are refused.
    await api.patch(`/v1/sessions/${task.sessionId}`, { mode: 'ask' });
    const reads = async (session: string, path: string): Promise<string> =>
      (await stoa(['run', '--session', session, '--no-approval-wait', `read: ${path}`])).out.trim();
    expect(await reads(task.sessionId, outputPath)).toBe('ok');
    expect(await reads(task.sessionId, transcriptPath)).toBe('ok');
    expect(await reads(sessionId, outputPath)).not.toBe('ok');
  });

  it('T-43 the output of a task is removed after the end of its session, and a request for it is refused', async () => {
    const ended = await stoa(['run', ...inJson, '--wait', 'tasks', 'run: echo printed']);
    const { sessionId } = resultOf(ended);
    const [{ taskId, outputPath = '' } = { taskId: '' }] = await listed(`?sessionId=${sessionId}`);
    const output = () =>
      api.get<{ code: string; text?: string }>(`/v1/tasks/${taskId}/output?offset=0`);
    expect((await output()).json.text).toBe('printed\n');
    // What no task has any more, as after a removal that failed.
    const stray = join(daemon.home, 'tasks', `ses_${'0'.repeat(26)}`);
    mkdirSync(stray);
    for (const part of ['intent', 'output']) {
      const path = join(stray, `shell-tsk_${'0'.repeat(26)}.${part}`);
      writeFileSync(path, '');
      utimesSync(path, 0, 0);
    }
    await until('what nobody has is gone', () => !existsSync(stray));
    await api.post(`/v1/sessions/${sessionId}/end`);
    await until('its directory is gone', () => !existsSync(dirname(outputPath)));
    expect(await output()).toMatchObject({ status: 409, json: { code: 'task_without_output' } });
    const followed = await stoa(['tasks', taskId, '--follow']);
    expect(followed).toMatchObject({ code: 1, out: '' });
    expect(followed.err).toContain(`The output of ${taskId} was removed`);
    expect((await stoa(['tasks', taskId])).out).toMatch(/status +completed/);
    await until('it was logged', () =>
      daemon.output().stderr.includes('removed files of background tasks that are over'),
    );
  });

  it('T-46 everything of a session is stopped at once', async () => {
    const [{ sessionId } = { sessionId: '' }] = await listed('?status=running');
    const { out } = await stoa(['tasks', 'stop', sessionId]);
    expect(out).toContain('is stopped by human:');
    expect(await listed(`?sessionId=${sessionId}&status=running`)).toEqual([]);
    expect((await stoa(['tasks', 'stop', sessionId])).out).toBe(
      `${sessionId} has no running tasks.\n`,
    );
    expect((await stoa(['tasks', '--follow'])).code).toBe(2);
  });

  it('T-44 with --wait tasks an approval of a background agent is reported or abandoned', async () => {
    const begin = ['run', '--agent', 'delegating', '--workspace', workspace, '--wait', 'tasks'];
    const waiting = start([...begin, 'begin'], { env: { STOA_HOME: daemon.home } });
    await until('it asks', () => waiting.output().err.includes('stoa approvals allow'));
    const [approvalId = ''] = /apr_\w+/.exec(waiting.output().err) ?? [];
    await stoa(['approvals', 'allow', approvalId]);
    expect(await waiting.ended).toBe(0);
    expect(waiting.output().err.match(/waiting for an approval/g)).toHaveLength(1);
    const left = await stoa([...begin, '--no-approval-wait', '--json', 'begin']);
    expect(left.code).toBe(3);
    expect(resultOf(left)).toMatchObject({ outcome: 'needs_approval', exitCode: 3 });
    expect(left.err).toMatch(/it needs an approval: .*written\n.*stoa approvals allow apr_/);
    // Also where it is an agent of an agent that asks.
    begin[2] = 'managing';
    const deep = start([...begin, 'begin'], { env: { STOA_HOME: daemon.home } });
    await until('it asks', () => deep.output().err.includes('stoa approvals allow'));
    const [deepId = ''] = /apr_\w+/.exec(deep.output().err) ?? [];
    await stoa(['approvals', 'allow', deepId]);
    expect(await deep.ended).toBe(0);
    expect(deep.output().err.match(/waiting for an approval/g)).toHaveLength(1);
  });

  it('T-43 the transcript of an agent goes too after the end of its session', async () => {
    const [agent] = (await listed('?kind=agent&status=completed')).filter(
      ({ sessionId, startedIn }) => sessionId === startedIn,
    );
    const { taskId, sessionId } = agent as Task;
    const output = () => api.get<{ code: string }>(`/v1/tasks/${taskId}/output?offset=0`);
    expect((await output()).status).toBe(200);
    await api.post(`/v1/sessions/${sessionId}/end`);
    const gone = await until('it is gone', async () => {
      const answer = await output();
      return answer.status !== 200 && answer;
    });
    expect(gone).toMatchObject({ status: 409, json: { code: 'task_without_output' } });
  });
});
