import type { Principal } from '@stoa/protocol';
import { until } from '@stoa/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TaskStage } from './task-stage.fixture.js';

const EVE: Principal = { kind: 'human', id: 'eve', owner: true, credentialId: 'crd_eve' };

let stage: TaskStage;
let sessionId: string;
beforeEach(async () => {
  ({ stage, sessionId } = await TaskStage.withSession());
});
afterEach(() => stage.discardSound());

/** Creates agents, of which none ends. */
async function agents(count: number, of = sessionId): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    stage.world.clock.move(1);
    ids.push((await stage.begin(of, 'agent')).taskId);
  }
  return ids;
}

it('T-28 a task starts although many tasks of another person are queued before it', async () => {
  await agents(10 + 101);
  const { core } = stage.daemon;
  const eves = (await core.sessions.create(EVE, { agentId: 'helper' })).sessionId;
  const own = await agents(11, eves);
  expect(await stage.statusOf(own[10] ?? '')).toBe('queued');
  await stage.settle(own[0] ?? '');
  await stage.tasks.tick();
  expect(await stage.statusOf(own[10] ?? '')).toBe('running');
});

it('T-28 a queued task of an ended session does not delay those behind it', async () => {
  const child = await stage.session(sessionId);
  const running = await agents(10);
  const [left = ''] = await agents(1, child);
  const [behind = ''] = await agents(1);
  await stage.endAlone(child);
  expect(await stage.statusOf(left)).toBe('queued');
  await stage.settle(running[0] ?? '');
  await until('it starts', async () => (await stage.statusOf(behind)) === 'running');
});
