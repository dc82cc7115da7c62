import { OWNER, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reader } from '../kernel/reader.js';

const [sqlite] = STORE_ENGINES;

describe('a run with listeners', () => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  const reports: unknown[] = [];

  beforeEach(async () => {
    if (!sqlite) throw new Error('there is no engine');
    world = await RuntimeWorld.open(sqlite);
    daemon = await world.start({}, (error) => reports.push(error));
  });
  afterEach(async () => {
    await world.discard();
  });

  const reader = (changes: Partial<Reader>): Reader => ({
    event: () => undefined,
    chunk: () => undefined,
    gap: () => undefined,
    cutOff: () => undefined,
    pendingBytes: () => 0,
    drained: () => Promise.resolve(),
    ...changes,
  });

  it('R-8 is not affected by a listener that throws or hangs; there is one diagnostic', async () => {
    const { sessions, inbox, runs, hub } = daemon.core;
    const { sessionId } = await sessions.create(OWNER, { agentId: 'helper' });
    const topic = `session:${sessionId}`;
    const broken = new Error('I am a broken listener');
    const received: string[] = [];
    const listeners = [
      reader({
        event: () => {
          throw broken;
        },
      }),
      reader({ pendingBytes: () => Number.MAX_SAFE_INTEGER }),
      reader({ event: ({ type }) => received.push(type) }),
    ];
    for (const listener of listeners) (await hub.follow(listener, topic, undefined))?.begin();
    const { runId } = await inbox.submit(OWNER, sessionId, { text: 'go', rule: 'followup' });
    const run = await daemon.driver.nth(1);
    run.complete('done');
    await until('it ended', async () => (await runs.get(OWNER, runId)).status === 'completed');
    expect(reports).toEqual([broken]);
    await until('the other one receives all events', () => received.includes('completed'));
    expect(received).toEqual([
      'accepted',
      'queued',
      'started',
      'delivered',
      'publishing',
      'completed',
    ]);
  });
});
