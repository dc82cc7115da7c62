import { OWNER, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StimulusStage } from '../stimuli/stimulus-stage.fixture.js';

describe('an agent that was started in a thread', () => {
  let stage: StimulusStage;
  let sessionId: string;
  let threadRootMessageId: string;

  beforeEach(async () => {
    const [engine] = STORE_ENGINES;
    if (!engine) throw new Error('there is no engine');
    stage = await StimulusStage.open(engine, ['bee']);
    sessionId = stage.turns.sessionOf('bee');
    const input = { text: 'Check this' };
    threadRootMessageId = (await stage.core.channels.post(OWNER, 'team', input)).messageId;
  });
  afterEach(async () => {
    await stage.turns.world.discard();
  });

  const launch = (isForeground: boolean) =>
    stage.core.subAgents.launch(sessionId, {
      description: 'a long look',
      prompt: 'Look.',
      programs: [],
      isForeground,
      origin: { channelId: 'team', threadRootMessageId },
    });

  it('T-48 reports its messages to the session that started it also in that thread, until it ends', async () => {
    const { taskId, detail } = await launch(false);
    const worksIn = detail['sessionId'] as string;
    const { subAgents, tasks } = stage.core;
    expect(await subAgents.milestone(worksIn, sessionId, 'Half of it')).toBe(true);
    expect(await subAgents.milestone(sessionId, worksIn, 'not an agent of it')).toBe(false);
    await stage.core.sessions.end(OWNER, worksIn);
    await until('it has ended', async () => (await tasks.get(OWNER, taskId)).end);
    expect(await stage.stimuli()).toMatchObject([
      { kind: 'sidechain_milestone', content: 'Half of it', threadRootMessageId },
    ]);
    expect(await subAgents.milestone(worksIn, sessionId, 'too late')).toBe(false);
  });

  it('T-48 reports nothing there while a call waits for it', async () => {
    const { detail } = await launch(true);
    const { subAgents } = stage.core;
    const worksIn = detail['sessionId'] as string;
    expect(await subAgents.milestone(worksIn, sessionId, 'Half of it')).toBe(false);
    expect(await stage.stimuli()).toEqual([]);
  });
});
