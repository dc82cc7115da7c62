import type { SubAgentActions, TaskActions } from '@stoa/core';
import { StoaError, type Task } from '@stoa/protocol';
import { WorkspaceRun } from '@stoa/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SESSION_TOOLS } from '../session-tools.js';
import { toolCalls } from '../tool-calls.fixture.js';

const TASK_ID = `tsk_${'0'.repeat(26)}`;

let world: WorkspaceRun;
let callTool: ReturnType<typeof toolCalls>;
let task: Task;
let result: string;
const actions: unknown[] = [];
beforeAll(async () => {
  world = await WorkspaceRun.open();
  callTool = toolCalls(world, SESSION_TOOLS, { tasks, subAgents });
});
afterAll(() => world.discard());
beforeEach(() => {
  actions.length = 0;
  result = 'There is a cat.';
  task = {
    taskId: TASK_ID,
    kind: 'fifth_kind',
    description: 'a long look',
    sessionId: world.sessionId,
    startedIn: world.sessionId,
    responsibleId: 'human:owner',
    origin: {},
    status: 'running',
    isForeground: false,
    createdAt: 1,
    startedAt: 2,
    updatedAt: 2,
    notice: 'due',
    location: 'here',
    transcriptPath: '/home/tasks/x.jsonl',
    detail: { much: 1 },
    pendingApprovals: 0,
  };
});

const tasks: TaskActions = {
  list: () => Promise.resolve([task]),
  get: () => Promise.resolve(task),
  output: (taskId, range) => {
    actions.push({ taskId, ...range });
    if (task.outputPath === undefined) {
      throw new StoaError('task_without_output', 'none');
    }
    const text = 'abcdef'.slice(range.offset, range.offset + range.limit);
    const { offset } = range;
    const nextOffset = offset + text.length;
    return Promise.resolve({
      offset,
      nextOffset,
      oldestOffset: 0,
      size: 6,
      text,
      isComplete: false,
    });
  },
  stop: (taskId) => {
    if (task.end) throw new StoaError('task_not_running', `${taskId} is over`);
    return Promise.resolve({
      ...task,
      status: 'cancelled',
      end: { cause: 'stopped', by: 'human:owner' },
    });
  },
  send: () => Promise.resolve(task),
};
const subAgents: SubAgentActions = {
  programsOf: () => Promise.resolve([]),
  launch: (callId, wanted) => {
    actions.push({ callId, ...wanted });
    return Promise.resolve(task);
  },
  finished: () => Promise.resolve(task),
  resultOf: () => Promise.resolve(result),
};
const call = async (tool: string, input: unknown): Promise<string> => {
  const { outcome, output } = await callTool(tool, input);
  return `${outcome}: ${output}`;
};

it('T-40 task_status and task_stop work for tasks of any kind, without approval', async () => {
  expect(await call('task_status', {})).toBe(`ok: ${TASK_ID} fifth_kind running: a long look`);
  expect(await call('task_status', { task_id: TASK_ID })).toContain('detail: {"much":1}');
  expect(await call('task_stop', { task_id: TASK_ID })).toBe(
    `ok: ${TASK_ID} fifth_kind cancelled (stopped, by human:owner): a long look`,
  );
  task = { ...task, status: 'failed', endedAt: 3, end: { cause: 'exited', exitCode: 1 } };
  expect(await call('task_stop', { task_id: TASK_ID })).toMatch(/^error: task_not_running/);
  expect(await call('task_status', {})).toContain('failed (exited, exit code 1)');
  expect(await call('task_stop', { task_id: 'nonsense' })).toMatch(/^error/);
});

it('task_output reads the end of the output, or from an offset, and returns the next offset', async () => {
  expect(await call('task_output', { task_id: TASK_ID })).toContain('no output to read');
  task = { ...task, outputPath: '/x' };
  expect(await call('task_output', { task_id: TASK_ID, limit: 2 })).toBe(
    'ok: Bytes 4 to 6 of 6; continue at offset 6.\nef',
  );
  expect(await call('task_output', { task_id: TASK_ID, offset: 1, limit: 2 })).toBe(
    'ok: Bytes 1 to 3 of 6; continue at offset 3.\nbc',
  );
  expect(await call('task_output', { task_id: TASK_ID, offset: 6, wait_ms: 50 })).toContain(
    'No output there.',
  );
  expect(actions.at(-1)).toMatchObject({ offset: 6, waitMs: 50 });
});

it('T-36 the tool agent waits for the agent unless it runs in the background', async () => {
  const input = { description: 'look', prompt: 'Look around.' };
  expect(await call('agent', { ...input, run_in_background: true })).toContain(
    `It works as ${TASK_ID}.`,
  );
  expect(actions.at(-1)).toMatchObject({ ...input, isForeground: false });
  task = { ...task, status: 'completed', endedAt: 3, end: { cause: 'finished' } };
  expect(await call('agent', { ...input, agent: 'scout', on_restart: 'resume' })).toBe(
    'ok: There is a cat.',
  );
  expect(actions.at(-1)).toMatchObject({
    isForeground: true,
    agentId: 'scout',
    onRestart: 'resume',
  });
  result = '';
  expect(await call('agent', input)).toContain('finished without an answer');
  task = { ...task, status: 'failed', end: { cause: 'run_failed', message: 'no model' } };
  expect(await call('agent', input)).toMatch(/^error: .*failed.*no model/s);
  task = { ...task, status: 'running', endedAt: undefined } as unknown as Task;
  expect(await call('agent', input)).toContain('It continues in the background.');
  task = { ...task, status: 'queued' };
  expect(await call('agent', { ...input, run_in_background: true })).toContain('It is queued as');
});
