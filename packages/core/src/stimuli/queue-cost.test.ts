import type { CreateStimulus } from '@stoa/protocol';
import type { Store, Tx } from '@stoa/store';
import { OWNER, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StimulusStage } from './stimulus-stage.fixture.js';

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

  it('DU-30 adds a stimulus as fast with 500 in it as without', async () => {
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

/** Reports of one observation source; all are posted in the thread of the first. */
const REPORT: Partial<CreateStimulus> = {
  kind: 'observation_materialized',
  sourceKind: 'observation',
  sourceRef: 'obs_disks',
};
const POLICY = {
  maxPendingStimuli: 1_000,
  quietPeriodMsAfterRootPost: 0,
  maxActiveAutonomousRoots: 100,
  maxAutonomousRootPostsPerHour: 1_000,
  memberCooldownMs: 0,
};

interface Cost {
  statements: number;
  transactions: number;
}

/** Counts the statements and transactions of some work. */
async function costOf(store: Store, work: () => Promise<unknown>): Promise<Cost> {
  const cost: Cost = { statements: 0, transactions: 0 };
  const transact = store.transact.bind(store);
  const read = store.read.bind(store);
  const counted = function* <T>(body: () => Tx<T>): Tx<T> {
    const run = body();
    let step = run.next();
    while (!step.done) {
      cost.statements += Array.isArray(step.value) ? step.value.length : 1;
      step = run.next(yield step.value);
    }
    return step.value;
  };
  store.transact = (body, options) => {
    cost.transactions += 1;
    return transact(() => counted(body), options);
  };
  store.read = (body) => read(() => counted(body));
  try {
    await work();
  } finally {
    Object.assign(store, { transact, read });
  }
  return cost;
}

describe('posting from a queue of stimuli', () => {
  const [engine] = STORE_ENGINES;
  let stage: StimulusStage | undefined;
  afterEach(() => stage?.close());

  /** The cost of a stimulus in another channel, and of the next one that waited for a busy thread. */
  async function costsWith(waiting: number): Promise<[elsewhere: Cost, next: Cost]> {
    if (!engine) throw new Error('there is no engine');
    stage = await StimulusStage.open(engine, ['a'], POLICY);
    const { core, turns } = stage;
    const { store } = turns.daemon;
    const request = { channelId: 'elsewhere', title: 'Elsewhere', autonomyPolicy: POLICY };
    await core.channels.create(OWNER, request);
    await stage.post('The disk is full', REPORT);
    const { run } = await turns.next();
    await run.deliver();
    for (let i = 0; i < waiting; i++) await stage.put(`The disk is full ${String(i)}`, REPORT);
    // One attempt each finds out which thread it waits for.
    while (await core.stimuli.tick());
    const idea = await core.stimuli.create(OWNER, 'elsewhere', {
      kind: 'agent_idea',
      scope: 'channel',
      visibilityHint: 'auto',
      content: 'Something else',
    });
    const elsewhere = await costOf(store, () => core.stimuli.tick());
    const posted = await core.stimuli.get(OWNER, 'elsewhere', idea.stimulusId);
    expect(posted.state, `behind ${String(waiting)}`).toBe('dispatched');
    run.complete();
    await turns.ended(run);
    const before = (await turns.messages()).length;
    const next = await costOf(store, () => core.stimuli.tick());
    expect((await turns.messages()).length, `of ${String(waiting)}`).toBe(before + 1);
    await stage.close();
    stage = undefined;
    return [elsewhere, next];
  }

  /** The cost of the first 20 of a queue without held stimuli. */
  async function costOfFirst(waiting: number): Promise<Cost> {
    if (!engine) throw new Error('there is no engine');
    stage = await StimulusStage.open(engine, [], POLICY);
    const { core, turns } = stage;
    const { messageId: threadRootMessageId } = await turns.say('Work');
    for (let i = 0; i < waiting; i++) {
      await stage.put(`Result ${String(i)}`, { kind: 'result_summary', threadRootMessageId });
    }
    const cost = await costOf(turns.daemon.store, () => core.stimuli.tick());
    expect(await turns.messages()).toHaveLength(1 + 20);
    await stage.close();
    stage = undefined;
    return cost;
  }

  const expectAsCheap = (many: Cost, few: Cost): void => {
    expect(many.statements).toBeLessThan(1.5 * few.statements);
    expect(many.transactions).toBeLessThan(1.5 * few.transactions);
  };

  it('DU-30 costs as much for each stimulus with 500 in it as with 20', async () => {
    expectAsCheap(await costOfFirst(WAITING), await costOfFirst(20));
  });

  it('DU-30 costs as much for each stimulus with 500 that wait for a busy thread as with 10', async () => {
    const few = await costsWith(10);
    const many = await costsWith(WAITING);
    expectAsCheap(many[0], few[0]);
    expectAsCheap(many[1], few[1]);
  });
});

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
