import { OWNER } from '../runtime/runtime-world.js';
import { violated } from '../simulation/failure.js';
import { type Planted, play, settled } from '../simulation/kernel.js';
import type { ThreadModel } from './channel-model.js';
import { actionsIn, pendingApprovals } from './turn-actions.js';
import { CHANNEL, type HistorySize, TurnWorld } from './turn-world.js';

export interface TurnReport {
  readonly steps: number;
  readonly trace: readonly string[];
  /** Counts what happened: a simulation without delays proves little. */
  readonly seen: ReadonlyMap<string, number>;
}

/** Most faults appear within a few steps; one history in ten is long, for those that take time to build up. */
const LONG_EVERY = 10;
const LONG: HistorySize = { steps: [15, 25], members: [1, 5] };
const SHORT: HistorySize = { steps: [4, 10], members: [1, 3] };
const ROUNDS_TO_REST = 300;
/** What only a tick finds is found in the end too; timers do the rest. */
const TICK_EVERY = 8;
/** Bringing everything to its end, and a replay of everything, each cost as much as a history does. */
const REST_EVERY = 4;
const REPLAY_EVERY = 10;

/**
 * Plays one history of a channel with people and agents in it: everything that happens, and in which
 * order, follows from the seed. Every commit is judged by itself; some histories are brought to their end,
 * where all must be at rest, and the tables of some must be what a replay of their logs gives.
 */
export function simulateTurns(seed: number, planted: Planted = {}): Promise<TurnReport> {
  const world = new TurnWorld(seed, planted);
  return play(world, 'tests/turn-simulation.test.ts', async () => {
    world.doing = 'opening';
    const size = seed % LONG_EVERY === 0 ? LONG : SHORT;
    await world.open(size);
    const steps = world.random.between(...size.steps);
    for (let i = 0; i < steps; i++) {
      const { name, run } = world.random.weighted(actionsIn(world));
      world.doing = name;
      const what = await run(world);
      world.note(name, what === '' ? name : `${name}: ${what}`);
      await goOn(world);
    }
    world.doing = 'coming to rest';
    if (seed % REST_EVERY === 0) await rest(world);
    if (seed % REPLAY_EVERY === 0) await checkReplay(world);
    return { steps, trace: world.trace, seen: world.seen };
  });
}

/** Advances a few commits and steps of agents, so that most stay in progress. */
async function goOn(world: TurnWorld): Promise<void> {
  for (let i = world.random.below(4); i >= 0; i--) {
    await settled();
    const { waiting } = world.host;
    const isAgent = waiting.length > 0 && world.random.chance(0.6);
    if (isAgent) world.random.take(waiting)();
    else if (!world.commit()) break;
  }
  await world.wake();
  world.check();
  if (!world.host.flush) checkNothingIsOverdue(world);
}

/** Lets everything that began end. */
async function rest(world: TurnWorld): Promise<void> {
  world.isEnding = true;
  for (let round = 0; round < ROUNDS_TO_REST; round++) {
    world.host.goOn();
    await world.settle();
    if (world.host.waiting.length > 0) continue;
    checkNothingIsOverdue(world);
    const channel = world.ledger.channels.get(CHANNEL);
    const { channels, approvals } = world.core;
    if (channel?.archived) await world.soon(channels.unarchive(OWNER, CHANNEL));
    else if (channel?.paused) await world.soon(channels.update(OWNER, CHANNEL, { paused: false }));
    else if (isAtRest(world)) return;
    else {
      for (const { approvalId } of pendingApprovals(world)) {
        await world.soon(approvals.answer(OWNER, approvalId, { decision: 'allow', scope: 'once' }));
      }
      if (world.host.waiting.length > 0) continue;
      // People and agents send nothing more: only time changes the rest.
      world.pass(Math.max(1_000, nextWake(world) - world.clock.now()));
      if (round % TICK_EVERY === 0) await world.soon(world.host.tick());
    }
  }
  const threads = openThreads(world).map(({ turn }) => turn);
  violated('the channel never comes to rest', { threads, stimuli: world.ledger.stimuli.live });
}

const threadsOf = (world: TurnWorld): ThreadModel[] => [
  ...(world.ledger.channels.get(CHANNEL)?.threads.values() ?? []),
];

const openThreads = (world: TurnWorld): ThreadModel[] =>
  threadsOf(world).filter(({ turn }) => turn.closedAt === undefined);

const isAtRest = (world: TurnWorld): boolean =>
  openThreads(world).length === 0 &&
  world.ledger.sessions.open.length === 0 &&
  world.ledger.stimuli.live.length === 0;

function nextWake(world: TurnWorld): number {
  return Math.min(
    ...openThreads(world).map(({ turn }) => turn.wakeAt ?? Number.POSITIVE_INFINITY),
    // One that waits may be due and wait for something else than time.
    Math.max(world.ledger.stimuli.nextAt, world.clock.now() + 5_000),
    world.clock.now() + 60_000,
  );
}

/** When nobody is active, no thread waits that should have been reevaluated. */
function checkNothingIsOverdue(world: TurnWorld): void {
  const now = world.clock.now();
  for (const { turn } of openThreads(world)) {
    if (turn.wakeAt !== undefined && turn.wakeAt <= now) {
      violated('a thread waits that should have been reevaluated', { turn, now });
    }
  }
}

async function checkReplay(world: TurnWorld): Promise<void> {
  const report = await world.soon(world.core.checkIntegrity());
  if (!report.ok) violated('the tables are not what the log says', { problems: report.problems });
}
