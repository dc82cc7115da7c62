import type { Action } from './action.js';
import { chooseOperation } from './choose-operation.js';
import { crash, crashOne, flush } from './machine.js';
import { arrive, lose, send } from './network.js';
import { describe } from './operation.js';
import type { SimDaemon } from './sim-daemon.js';
import { seeThrough, sweep } from './upkeep.js';
import type { CommitFault } from './virtual-disk.js';
import type { World } from './world.js';

const HOUR = 3_600_000;

/** Faults, and events at a bad time. */
export function faults(world: World): Action[] {
  const { random, profile, disk } = world;
  const { crash: crashes, full, defect, repeat, sweep: sweeps } = profile.weights;
  const flushable = world.daemons.filter(({ flush: pending }) => pending !== undefined);
  const faulty = async (daemon: SimDaemon, fault: CommitFault): Promise<string> => {
    await flush(world, daemon, fault);
    return `${daemon.name} ${JSON.stringify(fault)}`;
  };
  return [
    {
      name: 'crash',
      weight: crashes,
      can: true,
      async run() {
        if (world.daemons.length > 1 && random.chance(0.5)) {
          const daemon = random.pick(world.daemons);
          await crashOne(world, daemon);
          return daemon.name;
        }
        await crash(world);
        return 'everything';
      },
    },
    {
      name: 'crash while committing',
      weight: crashes * 2,
      can: flushable.length > 0,
      run: () =>
        faulty(
          random.pick(flushable),
          random.chance(0.4)
            ? { kind: 'crash_after_commit' }
            : { kind: 'crash_at_statement', after: random.below(25) },
        ),
    },
    {
      name: 'no room while committing',
      weight: full,
      can: flushable.length > 0,
      run: () =>
        faulty(random.pick(flushable), { kind: 'full_at_commit', rollsBack: random.chance(0.5) }),
    },
    {
      name: disk.isFull ? 'room again' : 'disk full',
      weight: disk.isFull ? 6 : full,
      can: true,
      run() {
        const pages = disk.isFull ? undefined : random.below(3);
        disk.setPagesLeft(pages);
        return `${pages}`;
      },
    },
    {
      name: world.assetDisk.full ? 'room for assets again' : 'no room for assets',
      weight: world.assetDisk.full ? 6 : full / 2,
      can: true,
      run() {
        world.assetDisk.full = !world.assetDisk.full;
        return '';
      },
    },
    {
      name: 'arrive and hit a defect',
      weight: defect * 2,
      can: world.network.length > 0,
      run() {
        const request = random.take(world.network);
        const daemon = random.pick(world.daemons);
        const after = random.below(14);
        arrive(world, request, daemon, after);
        return `#${request.id} at ${daemon.name} after ${after} statements`;
      },
    },
    {
      name: 'repeat',
      weight: repeat * 3,
      can: world.sentWithKey.length > 0,
      run() {
        const request = random.pick(world.sentWithKey.slice(-12));
        send(world, request);
        return `#${request.id}`;
      },
    },
    {
      name: 'same key, other request',
      weight: repeat,
      can: world.sentWithKey.length > 0,
      run() {
        const { client, key } = random.pick(world.sentWithKey.slice(-12));
        const request = world.newRequest(client, chooseOperation(world, client), key);
        send(world, request);
        return describe(request);
      },
    },
    {
      name: 'lose an answer',
      weight: repeat,
      can: world.responses.length > 0,
      run() {
        const { call } = random.take(world.responses);
        lose(world, call.request);
        return `#${call.request.id}`;
      },
    },
    {
      name: 'lose a request',
      weight: repeat / 2,
      can: world.network.length > 0,
      run() {
        const request = random.take(world.network);
        lose(world, request);
        return `#${request.id}`;
      },
    },
    {
      name: 'clock',
      weight: 2,
      can: true,
      run() {
        const by = random.chance(0.25)
          ? -random.below(2 * HOUR)
          : random.below(random.pick([50, 3 * HOUR]));
        world.moveClock(by);
        return `${by} ms`;
      },
    },
    {
      name: 'sweep',
      weight: sweeps * 2,
      can: true,
      async run() {
        const daemon = random.pick(world.daemons);
        const upkeep = sweep(world, daemon, random.chance(defect * 0.1));
        const isThrough = random.chance(0.6);
        if (isThrough) await seeThrough(world, daemon, upkeep);
        return `${daemon.name}${isThrough ? ', through' : ''}`;
      },
    },
  ];
}
