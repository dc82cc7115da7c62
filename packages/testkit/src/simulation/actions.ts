import type { Action } from './action.js';
import { chooseOperation } from './choose-operation.js';
import { faults } from './faults.js';
import { flush } from './machine.js';
import { arrive, deliver, send } from './network.js';
import { describe } from './operation.js';
import { connect } from './reading.js';
import { checkIntegrity } from './upkeep.js';
import type { World } from './world.js';

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
