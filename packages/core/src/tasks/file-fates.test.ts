import { OWNER } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileFate } from './file-fates.js';
import { TaskStage } from './task-stage.fixture.js';

const DAY = 86_400_000;

describe('the files of a task', () => {
  let stage: TaskStage;
  let sessionId: string;

  beforeEach(async () => {
    ({ stage, sessionId } = await TaskStage.withSession());
  });
  afterEach(() => stage.discardSound());

  const endedBefore = (): number => stage.world.clock.now() - DAY;
  const fateOf = async (taskId: string): Promise<FileFate | undefined> =>
    (await stage.tasks.fileFates([taskId], endedBefore())).get(taskId);

  it('T-43 may be removed when it has ended and its session ended long ago, not before', async () => {
    const over = await stage.begin(sessionId);
    await stage.settle(over.taskId);
    stage.world.clock.move(2 * DAY);
    expect(await fateOf(over.taskId)).toBe('kept');
    await stage.endAlone(sessionId);
    stage.world.clock.move(DAY + 1);
    // The notice, which contains the path, is still due.
    expect(await stage.get(over.taskId)).toMatchObject({ notice: 'due' });
    expect(await fateOf(over.taskId)).toBe('kept');
    stage.world.clock.move(-1);
    await stage.tasks.tick();
    expect(await fateOf(over.taskId)).toBe('kept');
    expect(await stage.tasks.isPastSession(sessionId, endedBefore())).toBe(false);
    stage.world.clock.move(1);
    expect(await fateOf(over.taskId)).toBe('past');
    expect(await stage.tasks.isPastSession(sessionId, endedBefore())).toBe(true);
    expect(await fateOf('tsk_00000000000000000000000000')).toBe('unlisted');
  });

  it('T-43 stay while it goes on, even if its session has ended', async () => {
    const below = await stage.session(sessionId);
    const [running, handed] = [await stage.begin(sessionId), await stage.begin(below)];
    const paused = await stage.begin(sessionId, 'agent');
    await stage.tasks.change(paused.taskId, { status: 'paused' });
    const foreground = await stage.begin(sessionId, 'agent', { isForeground: true });
    await stage.daemon.core.sessions.end(OWNER, below);
    await stage.tasks.tick();
    await stage.settle(handed.taskId, { isReported: true });
    await stage.endAlone(sessionId);
    stage.world.clock.move(2 * DAY);
    for (const { taskId } of [running, paused, foreground])
      expect(await fateOf(taskId)).toBe('kept');
    // It moved to the session above when its own ended, and that has ended now too.
    expect((await stage.get(handed.taskId)).sessionId).toBe(sessionId);
    expect(await fateOf(handed.taskId)).toBe('past');
  });

  it('T-43 stay while the session is open in which a message would revive it', async () => {
    const worksIn = await stage.session();
    const detail = { agentId: 'helper', sessionId: worksIn };
    const { taskId } = await stage.begin(sessionId, 'agent', { detail });
    await stage.settle(taskId, { isReported: true });
    await stage.daemon.core.sessions.end(OWNER, sessionId);
    stage.world.clock.move(2 * DAY);
    expect(await fateOf(taskId)).toBe('kept');
    await stage.daemon.core.sessions.end(OWNER, worksIn);
    stage.world.clock.move(2 * DAY);
    expect(await fateOf(taskId)).toBe('past');
  });
});
