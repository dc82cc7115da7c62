import type { McpServerHealth, Task, TaskStatus } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { mcpLabel, pillLabel } from './pill.js';
import { type TaskPresenter, TaskPresenters } from './presenters.js';
import { taskDetail, taskRow, taskSections } from './task-row.js';

const NOW = 1_000_000;
let made = 0;
function task(kind: string, status: TaskStatus = 'running', more: Partial<Task> = {}): Task {
  made += 1;
  return {
    taskId: `tsk_${String(made).padStart(26, '0')}`,
    kind,
    description: `${kind} ${String(made)}`,
    sessionId: 'ses_1',
    startedIn: 'ses_1',
    responsibleId: 'human:owner',
    origin: {},
    status,
    isForeground: false,
    createdAt: NOW - 5_000,
    startedAt: NOW - 4_000,
    updatedAt: NOW,
    notice: 'due',
    location: 'here',
    detail: {},
    pendingApprovals: 0,
    ...more,
  };
}
const several = (count: number, kind: string, status?: TaskStatus): Task[] =>
  Array.from({ length: count }, () => task(kind, status));

describe('the pill', () => {
  it('T-41 counts active tasks by kind, in a fixed order', () => {
    expect(pillLabel([task('dream'), task('shell')])).toBe('1 shell, 1 dream');
    const many = [...several(3, 'monitor'), task('agent', 'queued'), ...several(2, 'shell')];
    expect(pillLabel(many)).toBe('2 shells, 1 agent, 3 monitors');
    expect(pillLabel([...many, task('shell', 'completed')])).toBe('2 shells, 1 agent, 3 monitors');
  });

  it('T-41 names paused tasks only if none is active, and ended ones only if all have ended', () => {
    const paused = task('agent', 'paused');
    expect(pillLabel([paused, task('shell', 'failed')])).toBe('1 agent paused');
    expect(pillLabel([paused, task('agent', 'paused')])).toBe('2 agents paused');
    expect(pillLabel([paused, task('shell')])).toBe('1 shell');
    const ended = [task('shell', 'completed'), task('agent', 'cancelled'), task('shell', 'lost')];
    expect(pillLabel(ended)).toBe('3 tasks done');
    expect(pillLabel(ended.slice(1, 2))).toBe('1 task done');
    expect(pillLabel([])).toBeUndefined();
  });

  it('T-41 is marked while an approval is pending', () => {
    const asking = task('agent', 'running', { pendingApprovals: 1 });
    expect(pillLabel([asking, task('shell')])).toBe('1 shell, 1 agent ⚠ approval needed');
  });

  it('T-36 counts foreground sub-agents, but not foreground commands', () => {
    const awaited = { isForeground: true };
    expect(pillLabel([task('agent', 'running', awaited)])).toBe('1 agent');
    expect(pillLabel([task('shell', 'running', awaited)])).toBeUndefined();
  });

  it('T-49 names MCP servers beside it that are offline, and no other state', () => {
    const server = (state: McpServerHealth['state']): McpServerHealth => ({
      agentId: 'a',
      name: 'files',
      state,
      tools: [],
    });
    expect(mcpLabel([server('connecting'), server('idle'), server('online')])).toBeUndefined();
    expect(mcpLabel([server('connecting'), server('offline')])).toBe('1 MCP offline');
    expect(mcpLabel([server('offline'), server('offline')])).toBe('2 MCPs offline');
  });
});

describe('the list', () => {
  const status = (one: Task): string => taskRow(one, NOW).status;

  it('shows the status of a task and how it ended', () => {
    const ended = { endedAt: NOW - 1_000 };
    expect(status(task('shell'))).toBe('running');
    expect(status(task('shell', 'running', { isForeground: true }))).toBe('running (awaited)');
    expect(status(task('shell', 'running', { stopping: { by: 'system', at: NOW } }))).toBe(
      'stopping',
    );
    const exit = (exitCode: number) => ({ ...ended, end: { cause: 'exited', exitCode } });
    expect(status(task('shell', 'completed', exit(0)))).toBe('completed (exit 0)');
    expect(status(task('shell', 'failed', exit(1)))).toBe('failed (exit 1)');
    const killed = { ...ended, end: { cause: 'signal', signal: 'SIGKILL' } };
    expect(status(task('shell', 'failed', killed))).toBe('failed (SIGKILL)');
    const stopped = { ...ended, end: { cause: 'stopped', by: 'human:ada' } };
    expect(status(task('shell', 'cancelled', stopped))).toBe('stopped by human:ada');
    const lost = { ...ended, end: { cause: 'outcome_unknown' } };
    expect(status(task('shell', 'lost', lost))).toBe('lost (outcome unknown)');
    const events = { detail: { command: 'tail -f log', events: 3, dropped: 95 } };
    expect(status(task('monitor', 'running', events))).toBe('running (3 events, 95 dropped)');
    const idle = { ...ended, end: { cause: 'idle' }, detail: { events: 1 } };
    expect(status(task('monitor', 'completed', idle))).toBe('completed (idle, 1 event)');
  });

  it('shows how long it ran, from its start to its end', () => {
    expect(taskRow(task('shell'), NOW).elapsedMs).toBe(4_000);
    expect(taskRow(task('shell', 'completed', { endedAt: NOW - 1_000 }), NOW).elapsedMs).toBe(
      3_000,
    );
    const { startedAt: _, ...queued } = task('agent', 'queued');
    expect(taskRow(queued, NOW).elapsedMs).toBeUndefined();
  });

  it('T-45 has a section for each kind, and keeps the order of the daemon', () => {
    const tasks = [task('monitor'), task('shell'), task('monitor'), task('shell', 'completed')];
    const sections = taskSections(tasks, NOW);
    expect(sections.map(({ title }) => title)).toEqual(['shells', 'monitors']);
    expect(sections.map(({ rows }) => rows.map(({ taskId }) => taskId))).toEqual([
      [tasks[1]?.taskId, tasks[3]?.taskId],
      [tasks[0]?.taskId, tasks[2]?.taskId],
    ]);
  });

  it('T-47 shows an unknown kind, and one with a presenter of the caller', () => {
    const remote = task('remote_job', 'running', { detail: { host: 'far', tries: 2 } });
    expect(pillLabel([remote, task('shell')])).toBe('1 shell, 1 remote job');
    expect(taskDetail(remote, NOW).lines).toContainEqual(['tries', '2']);
    const presenter: TaskPresenter = {
      kind: 'remote_job',
      one: 'job',
      many: 'jobs',
      countsForeground: true,
      title: () => 'a job far away',
      detail: () => [['host', 'far']],
    };
    const presenters = new TaskPresenters([presenter]);
    expect(pillLabel([remote, remote], presenters)).toBe('2 jobs');
    expect(taskRow(remote, NOW, presenters).title).toBe('a job far away');
    expect(taskSections([remote], NOW, presenters)[0]?.title).toBe('jobs');
    expect(taskDetail(remote, NOW, presenters).lines).toContainEqual(['host', 'far']);
  });
});

describe('a detail', () => {
  it('T-38 shows how many sessions a dream reviews, its progress, topics and warnings', () => {
    const dream = task('dream', 'completed', {
      description: 'consolidation of memory',
      detail: {
        sessions: 6,
        phase: 'writing',
        topics: Array.from({ length: 10 }, (_, n) => `t${String(n)}`),
        warnings: ['the lock could not be released'],
      },
    });
    const { row, lines, warnings } = taskDetail(dream, NOW);
    expect(row.title).toBe('consolidation of memory (6 sessions reviewed)');
    expect(lines).toContainEqual(['progress', 'writing']);
    expect(lines).toContainEqual(['topics', 't0, t1, t2, t3, t4, t5, t6, t7 and 2 more']);
    expect(warnings).toEqual(['the lock could not be released']);
  });

  it('shows the available actions, and why it is blocked', () => {
    const blocked = task('agent', 'paused', { blockedReason: 'its transcript is missing' });
    expect(taskDetail(blocked, NOW).lines).toContainEqual(['blocked', 'its transcript is missing']);
    expect(taskDetail(blocked, NOW).can).toEqual({
      stop: true,
      send: true,
      resume: false,
      promote: false,
    });
    expect(taskDetail(task('agent', 'paused'), NOW).can.resume).toBe(true);
    expect(taskDetail(task('shell', 'failed'), NOW).can).toEqual({
      stop: false,
      send: false,
      resume: false,
      promote: false,
    });
    const awaited = task('shell', 'running', { isForeground: true });
    expect(taskDetail(awaited, NOW).can.promote).toBe(true);
  });

  it('T-35 shows whether it accepts messages, by its kind and its status', () => {
    const canSend = (...given: Parameters<typeof task>): boolean =>
      taskDetail(task(...given), NOW).can.send;
    const open = { detail: { stdin: true } };
    const signal = { detail: { messageSignal: 'SIGUSR1' } };
    expect([canSend('shell', 'running', open), canSend('shell', 'running')]).toEqual([true, false]);
    expect(canSend('shell', 'completed', open)).toBe(false);
    expect([canSend('monitor', 'running', signal), canSend('monitor', 'running')]).toEqual([
      true,
      false,
    ]);
    expect([canSend('agent', 'completed'), canSend('agent', 'failed')]).toEqual([true, false]);
    const stopping = { stopping: { by: 'human:owner', at: 1 } };
    expect(canSend('agent', 'running', stopping)).toBe(false);
    expect(canSend('dream', 'running')).toBe(false);
    expect(canSend('kettle', 'running')).toBe(true);
  });

  it('ignores fields of an unexpected type', () => {
    const odd = task('shell', 'running', { detail: { command: 5, cwd: '', pid: 'x' } });
    expect(taskDetail(odd, NOW).lines).toEqual([
      ['session', 'ses_1'],
      ['input', 'closed'],
    ]);
  });
});
