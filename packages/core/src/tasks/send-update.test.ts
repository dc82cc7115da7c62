import { OWNER, until } from '@stoa/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TaskStage, textOf } from './task-stage.fixture.js';

let stage: TaskStage;
let sessionId: string;
let taskId: string;

beforeEach(async () => {
  ({ stage, sessionId } = await TaskStage.withSession());
  // The session is busy, so updates wait.
  await stage.daemon.core.inbox.submit(OWNER, sessionId, { text: 'x', rule: 'followup' });
  await stage.daemon.driver.nth(1);
  taskId = (await stage.begin(sessionId, 'monitor')).taskId;
});
afterEach(() => stage.discardSound());

it('an update is an item in the inbox, and the detail of the task contains the progress', async () => {
  expect(await stage.tasks.sendUpdate(taskId, 'line 1', { events: 1, offset: 7 })).toBe(true);
  const [item] = await stage.notices(sessionId);
  expect(item).toMatchObject({ kind: 'task_notice', from: 'system', metadata: { taskId } });
  expect(item && textOf(item)).toBe('line 1');
  expect((await stage.get(taskId)).detail).toMatchObject({ events: 1, offset: 7 });
});

it('while 200 items about tasks wait, no update is sent and no progress is stored', async () => {
  for (let count = 1; count <= 200; count++) {
    expect(await stage.tasks.sendUpdate(taskId, `line ${count}`, { events: count })).toBe(true);
  }
  expect(await stage.tasks.sendUpdate(taskId, 'line 201', { events: 201 })).toBe(false);
  expect((await stage.get(taskId)).detail).toMatchObject({ events: 200 });
  expect(await stage.notices(sessionId)).toHaveLength(200);
  // The notice of its end is sent, with the totals.
  await stage.settle(taskId, { detail: { dropped: 1 } });
  const last = (await stage.notices(sessionId)).at(-1);
  expect(last && textOf(last)).toMatch(/200 lines were sent in all[^]*1 line in all/);
});

it('T-34 after its session has ended a task sends no update, not even to a session above', async () => {
  const child = await stage.session(sessionId);
  const below = await stage.begin(child, 'monitor');
  let isSent: boolean | undefined;
  stage.executor('monitor').whileStopping = async () => {
    isSent = await stage.tasks.sendUpdate(below.taskId, 'too late', { events: 1 });
  };
  await stage.daemon.core.sessions.end(OWNER, child);
  await until('it was stopped', () => isSent !== undefined);
  expect(isSent).toBe(false);
  expect(await stage.notices(sessionId)).toEqual([]);
});
