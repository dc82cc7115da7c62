import { OWNER, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TaskStage, textOf } from './task-stage.fixture.js';

let stage: TaskStage;
let sessionId: string;
let taskId: string;

beforeEach(async () => {
  const [engine] = STORE_ENGINES;
  if (!engine) throw new Error('there is no engine');
  stage = await TaskStage.open(engine);
  sessionId = await stage.session();
  // What it is told waits: its session is busy.
  await stage.daemon.core.inbox.submit(OWNER, sessionId, { text: 'x', rule: 'followup' });
  await stage.daemon.driver.nth(1);
  taskId = (await stage.begin(sessionId, 'monitor')).taskId;
});
afterEach(async () => {
  expect(await stage.problems()).toEqual([]);
  await stage.world.discard();
});

it('what a task tells is in the inbox, and how far it has come in its detail', async () => {
  expect(await stage.tasks.sendUpdate(taskId, 'line 1', { events: 1, offset: 7 })).toBe(true);
  const [item] = await stage.notices(sessionId);
  expect(item).toMatchObject({ kind: 'task_notice', from: 'system', metadata: { taskId } });
  expect(item && textOf(item)).toBe('line 1');
  expect((await stage.get(taskId)).detail).toMatchObject({ events: 1, offset: 7 });
});

it('where 200 items about tasks wait, nothing is told and nothing is kept', async () => {
  for (let count = 1; count <= 200; count++) {
    expect(await stage.tasks.sendUpdate(taskId, `line ${count}`, { events: count })).toBe(true);
  }
  expect(await stage.tasks.sendUpdate(taskId, 'line 201', { events: 201 })).toBe(false);
  expect((await stage.get(taskId)).detail).toMatchObject({ events: 200 });
  expect(await stage.notices(sessionId)).toHaveLength(200);
  // Its end is told all the same, with what it told in all.
  await stage.settle(taskId, { detail: { dropped: 1 } });
  const last = (await stage.notices(sessionId)).at(-1);
  expect(last && textOf(last)).toMatch(/200 lines were told in all[^]*1 line in all/);
});

it('T-34 of a session that has ended nothing is told, not even above it', async () => {
  const child = await stage.session(sessionId);
  const below = await stage.begin(child, 'monitor');
  let isTold: boolean | undefined;
  stage.executor('monitor').whileStopping = async () => {
    isTold = await stage.tasks.sendUpdate(below.taskId, 'too late', { events: 1 });
  };
  await stage.daemon.core.sessions.end(OWNER, child);
  await until('it was stopped', () => isTold !== undefined);
  expect(isTold).toBe(false);
  expect(await stage.notices(sessionId)).toEqual([]);
});
