import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StimulusStage } from '../stimuli/stimulus-stage.fixture.js';

describe.each(STORE_ENGINES)('a task that was started in a thread on $name', (engine) => {
  let stage: StimulusStage;
  let sessionId: string;
  let threadRootMessageId: string;

  beforeEach(async () => {
    stage = await StimulusStage.open(engine, ['bee']);
    sessionId = stage.turns.sessionOf('bee');
    const input = { text: 'Check this' };
    threadRootMessageId = (await stage.core.channels.post(OWNER, 'team', input)).messageId;
  });
  afterEach(async () => {
    expect((await stage.core.checkIntegrity()).problems).toEqual([]);
    await stage.turns.world.discard();
  });

  const begin = (kind = 'agent') =>
    stage.core.tasks.create(sessionId, {
      kind,
      description: 'a long look',
      detail: kind === 'agent' ? { agentId: 'helper' } : { command: 'make' },
      origin: { channelId: 'team', threadRootMessageId },
    });

  it('T-48 reports its milestones and its end in that thread', async () => {
    const { taskId } = await begin();
    expect(await stage.core.tasks.milestone(taskId, 'Half of it is read')).toBe(true);
    const end = { cause: 'exited', exitCode: 0, message: 'its output stays in the journal' };
    await stage.core.tasks.settle(taskId, { status: 'completed', end });
    const reports = (await stage.stimuli()).map(({ kind, content, ...rest }) => ({
      kind,
      content,
      thread: rest.threadRootMessageId,
      source: rest.sourceRef,
      sender: rest.senderSessionId,
    }));
    const from = { thread: threadRootMessageId, source: taskId, sender: sessionId };
    expect(reports).toEqual([
      { kind: 'sidechain_milestone', content: 'Half of it is read', ...from },
      {
        kind: 'task_completed',
        content: 'The background task “a long look” completed with exit code 0.',
        ...from,
      },
    ]);
    // Its session gets a notice with the same origin.
    const { items } = await stage.core.inbox.list(OWNER, sessionId, {
      kind: 'task_notice',
      limit: 9,
    });
    expect(items.map(({ origin }) => origin)).toEqual([{ channelId: 'team', threadRootMessageId }]);
  });

  it('T-48 reports nothing if it was stopped, or if its session is no longer a member', async () => {
    const stopped = await begin('shell');
    await stage.core.tasks.settle(stopped.taskId, {
      status: 'cancelled',
      end: { cause: 'stopped' },
    });
    const { taskId } = await begin('shell');
    await stage.core.channels.removeMember(OWNER, 'team', 'bee');
    await stage.core.tasks.settle(taskId, { status: 'failed', end: { cause: 'crashed' } });
    expect(await stage.core.tasks.milestone(taskId, 'late')).toBe(false);
    expect(await stage.stimuli()).toEqual([]);
  });

  it('T-46 reports nothing if it ended while it was being stopped', async () => {
    const { taskId } = await begin('shell');
    // It has no executor here, so it is lost when it is stopped.
    expect(await stage.core.tasks.stop(OWNER, taskId)).toMatchObject({ status: 'lost' });
    expect(await stage.stimuli()).toEqual([]);
  });
});
