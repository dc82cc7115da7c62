import { findDaemon } from '@stoa/store';
import { RuntimeWorld, STORE_ENGINES, until } from '@stoa/testkit';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTicking } from './ticking.js';

describe('the regular work of a daemon', () => {
  let world: RuntimeWorld;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const [engine] = STORE_ENGINES;
    if (!engine) throw new Error('there is no engine');
    world = await RuntimeWorld.open(engine);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await world.discard();
  });

  it('sends heartbeats however long upkeep takes', async () => {
    const { core, store } = await world.start();
    const { daemonId } = core.ownership;
    const read = store.read.bind(store);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const end = startTicking(core.ticks, pino({ level: 'silent' }));
    // Upkeep begins by reading, and gets no answer.
    store.read = (body) => held.then(() => read(body));
    for (let i = 0; i < 3; i++) {
      world.clock.move(5_000);
      vi.advanceTimersByTime(5_000);
      await until('the heartbeat arrives', async () => {
        const row = await read(() => findDaemon.first({ daemonId }));
        return row?.seenAt === world.clock.now();
      });
    }
    release();
    await end();
    expect(vi.getTimerCount()).toBe(0);
  });
});
