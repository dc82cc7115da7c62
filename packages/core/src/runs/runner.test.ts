import { StoaError } from '@stoa/protocol';
import { AgentSession, OWNER, RuntimeWorld, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let world: RuntimeWorld;

beforeEach(async () => {
  const [engine] = STORE_ENGINES;
  if (!engine) throw new Error('there is no engine');
  world = await RuntimeWorld.open(engine);
});
afterEach(() => world.discard());

describe('the active run of a session', () => {
  it('is found only while its driver executes it', async () => {
    const daemon = await world.start();
    const { runner } = daemon.core;
    const one = await AgentSession.open(daemon, 'helper');
    const two = await AgentSession.open(daemon, 'helper');
    expect(runner.contextOf(one.sessionId)).toBeUndefined();
    await one.submit('go');
    const first = await daemon.driver.nth(1);
    expect(runner.contextOf(one.sessionId)).toBe(first.context);
    expect(runner.contextOf(two.sessionId)).toBeUndefined();
    await first.deliver();
    first.complete('done');
    await one.ended(first.runId);
    expect(runner.contextOf(one.sessionId)).toBeUndefined();
    await daemon.stop();
  });

  it('is not found after it was cancelled, even if its driver ignores the signal', async () => {
    const daemon = await world.start();
    daemon.driver.isDeaf = true;
    const session = await AgentSession.open(daemon, 'helper');
    await session.submit('go');
    const run = await daemon.driver.nth(1);
    await daemon.core.runs.cancel(OWNER, run.runId);
    expect(daemon.core.runner.contextOf(session.sessionId)).toBeUndefined();
    run.complete();
    await daemon.stop();
  });
});

describe('a driver that returns without ending its run', () => {
  it('does not get the run again: the run fails', async () => {
    const daemon = await world.start();
    const session = await AgentSession.open(daemon, 'helper');
    const { runId } = await session.submit('go');
    const run = await daemon.driver.nth(1);
    run.throw(new StoaError('run_ended', 'or so it believes'));
    expect((await session.ended(runId)).failure).toMatchObject({ code: 'internal' });
    expect(daemon.driver.runs).toHaveLength(1);
    expect(daemon.diagnoses.map(({ message }) => message)).toEqual([
      'a driver returned without ending its run',
    ]);
    await daemon.stop();
  });
});

describe('polling for work', () => {
  it('finds any amount of work', async () => {
    const before = await world.start();
    const count = 250;
    const sessions = await Promise.all(
      Array.from({ length: count }, () => AgentSession.open(before, 'helper')),
    );
    await Promise.all(sessions.map((session) => session.submit('go')));
    await before.driver.nth(count);
    await before.abandon();
    const { driver } = await world.start();
    await driver.nth(count);
    const found = new Set(driver.runs.map(({ context }) => context.session.sessionId));
    expect(found.size).toBe(count);
  });
});

describe('the state of drivers for a session', () => {
  it('is deleted when the session is cleared or ends', async () => {
    const daemon = await world.start();
    const { sessionId } = await AgentSession.open(daemon, 'helper');
    await daemon.core.sessions.clear(OWNER, sessionId);
    expect(daemon.driver.forgotten).toEqual([sessionId]);
    await daemon.core.sessions.end(OWNER, sessionId);
    expect(daemon.driver.forgotten).toEqual([sessionId, sessionId]);
    await daemon.stop();
  });

  it('is kept until the driver has finished its run', async () => {
    const daemon = await world.start();
    daemon.driver.isDeaf = true;
    const session = await AgentSession.open(daemon, 'helper');
    await session.submit('go');
    const run = await daemon.driver.nth(1);
    await daemon.core.sessions.clear(OWNER, session.sessionId);
    expect(run.context.signal.aborted).toBe(true);
    expect(daemon.driver.forgotten).toEqual([]);
    run.complete();
    await until('it is forgotten', () => daemon.driver.forgotten.length > 0);
    expect(daemon.driver.forgotten).toEqual([session.sessionId]);
    await daemon.stop();
  });
});

describe('the token of a session', () => {
  it('is refused when the session has ended', async () => {
    const daemon = await world.start();
    const { sessionId } = await AgentSession.open(daemon, 'helper');
    const { secret } = daemon.core.sessionTokens.issue(sessionId);
    const { credentials } = daemon.core;
    const presented = { as: 'token', secret } as const;
    expect(await credentials.authenticate(presented)).toMatchObject({ id: sessionId });
    await daemon.core.sessions.end(OWNER, sessionId);
    expect(await credentials.authenticate(presented)).toBeUndefined();
    await daemon.stop();
  });

  it('notifies only its watchers when it is revoked', async () => {
    const { core } = await world.start();
    const one = core.sessionTokens.issue('ses_00000000000000000000000001');
    const two = core.sessionTokens.issue('ses_00000000000000000000000001');
    const notified: string[] = [];
    core.sessionTokens.watch(one.secret, () => notified.push('one'));
    core.sessionTokens.watch(two.secret, () => notified.push('two'));
    core.sessionTokens.watch(one.secret, () => notified.push('no longer'))();
    one.revoke();
    one.revoke();
    expect(notified).toEqual(['one']);
    expect(core.sessionTokens.find(one.secret)).toBeUndefined();
    expect(core.sessionTokens.find(two.secret)).toMatchObject({ kind: 'session' });
  });
});
