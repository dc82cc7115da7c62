import { checkIntegrity } from './checking.js';
import { chooseOperation } from './choose-operation.js';
import { crash, crashOne, flush } from './machine.js';
import { arrive, deliver, lose, send } from './network.js';
import { describe } from './operation.js';
import { connect } from './reading.js';
import type { SimDaemon } from './sim-daemon.js';
import { seeThrough, sweep } from './sweeping.js';
import type { CommitFault } from './virtual-disk.js';
import type { World } from './world.js';

export interface Action {
  readonly name: string;
  readonly weight: number;
  /** Whether there is anything for it to do. */
  readonly can: boolean;
  /** Does it and says what was done. */
  run(): Promise<string> | string;
}

const HOUR = 3_600_000;
/** Who is in a channel has more to say. */
const REGULARS = ['owner', 'alice', 'bob', 'bob', 'carol'];

/** Everything that can happen next; the seed picks one. */
export function actionsOf(world: World): Action[] {
  return [...ordinary(world), ...readerActions(world), ...faults(world)].filter(({ can }) => can);
}

function ordinary(world: World): Action[] {
  const { random, profile } = world;
  const flushable = world.daemons.filter(({ flush: pending }) => pending !== undefined);
  const waiting = world.daemons.filter((daemon) => daemon.waiting.length > 0);
  return [
    {
      name: 'issue',
      weight: 22,
      can: world.network.length < 8,
      run() {
        const client = random.pick([...world.tokens.keys(), ...REGULARS]);
        const key = random.chance(profile.keyed) ? `key${world.trace.length}` : undefined;
        const request = world.newRequest(client, chooseOperation(world, client), key);
        send(world, request);
        return describe(request);
      },
    },
    {
      name: 'arrive',
      weight: 30,
      can: world.network.length > 0,
      run() {
        const request = random.take(world.network);
        const daemon = random.pick(world.daemons);
        arrive(world, request, daemon, undefined);
        return `#${request.id} at ${daemon.name}`;
      },
    },
    {
      name: 'flush',
      weight: 14,
      can: flushable.length > 0,
      async run() {
        const daemon = random.pick(flushable);
        await flush(world, daemon);
        return daemon.name;
      },
    },
    {
      name: 'go on',
      weight: 30,
      can: waiting.length > 0,
      run() {
        const daemon = random.pick(waiting);
        const count = random.between(1, daemon.waiting.length);
        for (let i = 0; i < count; i++) random.take(daemon.waiting)();
        return `${count} at ${daemon.name}`;
      },
    },
    {
      name: 'deliver',
      weight: 14,
      can: world.responses.length > 0,
      run() {
        const response = random.take(world.responses);
        deliver(world, response);
        const { outcome, call } = response;
        return `#${call.request.id} ${outcome.kind}${outcome.kind === 'refusal' ? ` ${outcome.code}` : ''}`;
      },
    },
    {
      name: 'hint',
      weight: 10,
      can: world.hints.length > 0,
      run() {
        const index = random.below(world.hints.length);
        const [hint] = random.chance(0.2) ? world.hints.slice(index) : world.hints.splice(index, 1);
        hint?.to.core.hub.hint(hint.topic);
        return `${hint?.to.name} of ${hint?.topic}`;
      },
    },
    {
      name: 'check',
      weight: 0.7,
      can: profile.pacedReads,
      run() {
        const daemon = random.pick(world.daemons);
        checkIntegrity(world, daemon);
        return daemon.name;
      },
    },
    {
      name: 'index',
      weight: profile.weights.search * 2,
      can: profile.weights.search > 0,
      run: () => `${random.pick(world.daemons).search.indexSome()}`,
    },
  ];
}

function readerActions(world: World): Action[] {
  const { random, profile } = world;
  const { readers: weight } = profile.weights;
  const away = world.readers.filter(({ state }) => state === 'away');
  const following = world.readers.filter(({ state }) => state === 'following');
  const slow = following.filter(({ isSlow }) => isSlow);
  return [
    {
      name: 'connect',
      weight: weight * 6,
      can: away.length > 0,
      run() {
        const reader = random.pick(away);
        const daemon = random.pick(world.daemons);
        connect(world, reader, daemon);
        return `${reader.name} to ${daemon.name} for ${reader.topic} after ${reader.last}`;
      },
    },
    {
      name: 'disconnect',
      weight: weight * 2,
      can: following.length > 0,
      run() {
        const reader = random.pick(following);
        reader.away();
        return `${reader.name} at ${reader.last}`;
      },
    },
    {
      name: 'drain',
      weight: weight * 3,
      can: slow.length > 0,
      run() {
        const reader = random.pick(slow);
        reader.drain(random.between(1, 4));
        return reader.name;
      },
    },
  ];
}

function faults(world: World): Action[] {
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
