import type { Principal } from '@stoa/protocol';
import { OWNER, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunContext } from '../runs/driver.js';

describe.each(STORE_ENGINES)('the actions of a run on $name', (engine) => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let sessionId: string;
  let run: RunContext;

  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    daemon = await world.start();
    ({ sessionId } = await daemon.core.sessions.create(OWNER, { agentId: 'helper' }));
    await daemon.core.inbox.submit(OWNER, sessionId, { text: 'Begin.', rule: 'followup' });
    const directed = await daemon.driver.nth(1);
    await directed.deliver();
    run = directed.context;
  });
  afterEach(async () => {
    await daemon.core.runner.stop();
    await world.discard();
  });

  it('R-37 send a message of the session, once for each call', async () => {
    const other = await daemon.core.sessions.create(OWNER, { agentId: 'helper' });
    const message = { toSessionId: other.sessionId, text: 'hello', subject: 'greeting' };
    const sent = await run.messages.send('call_1', message);
    expect(sent).toMatchObject({ sessionId: other.sessionId, from: `session:${sessionId}` });
    expect((await run.messages.send('call_1', message)).itemId).toBe(sent.itemId);
    expect((await run.messages.send('call_2', message)).itemId).not.toBe(sent.itemId);
  });

  it('C-44 create a schedule of the session, once for each call', async () => {
    const wanted = {
      title: 'Nightly',
      text: 'Look',
      cadence: { kind: 'interval' as const, everyMs: 60_000 },
    };
    const made = await run.schedules.create('call_1', wanted);
    expect(made).toMatchObject({ sessionId, createdByRunId: run.runId, overlap: 'skip' });
    expect((await run.schedules.create('call_1', wanted)).scheduleId).toBe(made.scheduleId);
    expect((await run.schedules.create('call_2', wanted)).scheduleId).not.toBe(made.scheduleId);
  });

  it('C-41 create a stimulus that names the run, once for each call, and not without a channel', async () => {
    const idea = {
      content: 'Cache it',
      kind: 'agent_idea' as const,
      scope: 'channel' as const,
      visibilityHint: 'auto' as const,
    };
    await expect(run.stimuli.create('call_1', idea)).rejects.toMatchObject({
      code: 'invalid_stimulus',
    });
    await daemon.core.channels.create(OWNER, { channelId: 'team', title: 'Team' });
    const inTeam = { ...idea, channelId: 'team' };
    await expect(run.stimuli.create('call_1', inTeam)).rejects.toMatchObject({
      code: 'not_member',
    });
    await daemon.core.channels.upsertMember(OWNER, 'team', { actorId: `session:${sessionId}` });
    const made = await run.stimuli.create('call_1', inTeam);
    expect(made).toMatchObject({ sourceKind: 'run', sourceRef: run.runId });
    expect((await run.stimuli.create('call_1', inTeam)).stimulusId).toBe(made.stimulusId);
  });

  it('read a channel as the session, which has to be a member', async () => {
    await daemon.core.channels.create(OWNER, { channelId: 'team', title: 'Team' });
    const { messageId } = await daemon.core.channels.post(OWNER, 'team', { text: 'Shall we?' });
    const asSession: Principal = { kind: 'session', id: sessionId, credentialId: 'session' };
    const thread = { channelId: 'team', messageId };
    for (const channels of [run.channels, daemon.core.channelActions(asSession)]) {
      await expect(channels.readThread(thread, { limit: 5 })).rejects.toMatchObject({
        code: 'not_member',
      });
    }
  });

  it('T-40 cannot read or stop tasks of another session', async () => {
    const other = await daemon.core.sessions.create(OWNER, { agentId: 'helper' });
    const task = { kind: 'shell', description: 'x', detail: { command: 'true', nonce: 'n' } };
    const { taskId } = await daemon.core.tasks.create(other.sessionId, task);
    await expect(run.tasks.get(taskId)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(run.tasks.stop(taskId)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await run.tasks.list()).toEqual([]);
  });
});
