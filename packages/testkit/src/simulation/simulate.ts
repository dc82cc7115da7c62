import { actionsOf } from './actions.js';
import { checkQuiet, checkStep, checkStored, checkViews } from './checks.js';
import { type Planted, play, settled } from './kernel.js';
import { flush } from './machine.js';
import { arrive, deliver } from './network.js';
import { openingState } from './opening.js';
import { chooseProfile } from './profile.js';
import { chooseReaders } from './reading.js';
import { World } from './world.js';

export interface SimulationReport {
  readonly steps: number;
  /** The same for every run of the same seed. */
  readonly digest: string;
  readonly trace: readonly string[];
  /** How often what happened. */
  readonly seen: ReadonlyMap<string, number>;
}

/**
 * Plays one life of the slice: everything that happens, and in which order, follows from the seed.
 * Throws a SimulationFailure when an invariant does not hold.
 */
export async function simulate(seed: number, planted: Planted = {}): Promise<SimulationReport> {
  const world = new World(seed, await openingState(), chooseProfile, planted);
  return play(world, 'tests/simulation.test.ts', async () => {
    await world.startDaemons();
    chooseReaders(world);
    while (world.trace.length < world.profile.steps) await step(world);
    await comeToRest(world);
    await checkStored(world);
    await checkViews(world);
    checkQuiet(world);
    const { trace, seen } = world;
    return { steps: trace.length, digest: world.digest(), trace, seen };
  });
}

async function step(world: World): Promise<void> {
  const action = world.random.weighted(actionsOf(world));
  const { name } = action;
  world.doing = name;
  world.saw(name);
  const what = await action.run();
  await settled();
  world.trace.push(what === '' ? name : `${name}: ${what}`);
  checkStep(world);
  if (name.startsWith('crash')) await checkStored(world);
}

/** Faults end, and everything that is under way is brought to its end. */
async function comeToRest(world: World): Promise<void> {
  world.doing = 'come to rest';
  world.disk.setPagesLeft(undefined);
  world.assetDisk.full = false;
  for (let round = 0; ; round++) {
    if (round > 2_000) throw new Error('the simulation does not come to rest');
    if (!(await goOn(world))) break;
    await settled();
    checkStep(world);
  }
}

/** One thing that is under way; false when there is none. */
async function goOn(world: World): Promise<boolean> {
  const [daemon] = world.daemons;
  const request = world.network.shift();
  if (request && daemon) {
    arrive(world, request, daemon, undefined);
    return true;
  }
  const flushable = world.daemons.find(({ flush: pending }) => pending !== undefined);
  if (flushable) {
    await flush(world, flushable);
    return true;
  }
  const waiting = world.daemons.find((candidate) => candidate.waiting.length > 0);
  if (waiting) {
    waiting.waiting.shift()?.();
    return true;
  }
  const response = world.responses.shift();
  if (response) {
    deliver(world, response);
    return true;
  }
  const hint = world.hints.shift();
  if (hint) {
    hint.to.core.hub.hint(hint.topic);
    return true;
  }
  const slow = world.readers.find(
    (reader) => reader.state === 'following' && reader.pendingBytes() > 0,
  );
  if (slow) {
    slow.drain(1);
    return true;
  }
  return false;
}
