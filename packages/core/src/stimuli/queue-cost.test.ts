import { OWNER, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const WAITING = 500;
const ADDED = 60;

describe('a queue of stimuli', () => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;

  beforeEach(async () => {
    const [engine] = STORE_ENGINES;
    if (!engine) throw new Error('there is no engine');
    world = await RuntimeWorld.open(engine);
    daemon = await world.start();
    for (const channelId of ['empty', 'full']) {
      const autonomyPolicy = { maxPendingStimuli: 1_000 };
      await daemon.core.channels.create(OWNER, { channelId, title: channelId, autonomyPolicy });
    }
  });
  afterEach(() => world.discard());

  let made = 0;
  const add = async (channelId: string): Promise<number> => {
    made += 1;
    const begun = performance.now();
    await daemon.core.stimuli.create(OWNER, channelId, {
      kind: 'agent_idea',
      scope: 'channel',
      content: `idea ${String(made)}`,
      visibilityHint: 'auto',
      addressedMemberIds: [],
      availableAt: world.clock.now() + 3_600_000,
      metadata: {},
    });
    return performance.now() - begun;
  };

  it('DU-30 takes one more as fast with 500 in it as without', async () => {
    for (let i = 0; i < WAITING; i++) await add('full');
    const few: number[] = [];
    const many: number[] = [];
    for (let i = 0; i < ADDED; i++) {
      few.push(await add('empty'));
      many.push(await add('full'));
    }
    expect(median(many)).toBeLessThan(1.5 * median(few));
  });
});

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
