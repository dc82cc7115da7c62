import type { Store } from '@stoa/store';
import {
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  type StoreEngine,
} from '@stoa/testkit';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { openLobby } from './open-lobby.js';

const log = pino({ level: 'silent' });

/** Daemons on one store that can be told to die with a commit. */
class MortalEngine implements StoreEngine {
  readonly name = 'mortal';
  /** How many commits are left to whoever is alive. */
  commitsLeft = Number.POSITIVE_INFINITY;

  constructor(private readonly engine: StoreEngine) {}

  async newPlace() {
    const place = await this.engine.newPlace();
    return {
      ...place,
      open: async () => this.#mortal(await place.open()),
      discard: () => place.discard(),
    };
  }

  #mortal(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'transact') {
          const transact: Store['transact'] = (body, options) => {
            if (this.commitsLeft <= 0) return Promise.reject(new Error('killed'));
            this.commitsLeft -= 1;
            return target.transact(body, options);
          };
          return transact;
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}

const open = ({ core, store }: RuntimeDaemon): Promise<boolean> =>
  openLobby({ core, store, owner: OWNER, log });

async function stateOf({ core }: RuntimeDaemon) {
  const { messages } = await core.channels.messages(OWNER, 'lobby', { scope: 'all', limit: 50 });
  const { members } = await core.channels.members(OWNER, 'lobby', { limit: 50 });
  const { sessions } = await core.sessions.list(OWNER, { limit: 50 });
  return {
    members: members.map(({ memberId }) => memberId).sort(),
    sessions: sessions.length,
    messages: messages.length,
    metadata: (await core.channels.get(OWNER, 'lobby')).metadata,
  };
}

const WHOLE = {
  members: ['builder', 'host', 'owner', 'reviewer'],
  sessions: 3,
  messages: 1,
  metadata: { firstStart: 'done' },
};

describe.each(STORE_ENGINES)('the opening of the lobby on $name', (engine) => {
  it('is completed by the next start, wherever the daemon was killed', async () => {
    let isWhole = false;
    let kills = 0;
    for (let commits = 1; !isWhole; commits++) {
      const mortal = new MortalEngine(engine);
      const world = await RuntimeWorld.open(mortal);
      try {
        const first = await world.start();
        mortal.commitsLeft = commits;
        const opened = open(first);
        isWhole = await opened.catch(() => false);
        mortal.commitsLeft = Number.POSITIVE_INFINITY;
        await first.abandon();
        if (!isWhole) kills += 1;
        const second = await world.start();
        expect(await open(second), `after ${String(commits)} commits`).toBe(!isWhole);
        expect(await stateOf(second)).toEqual(WHOLE);
        expect(await second.core.checkIntegrity()).toMatchObject({ ok: true });
      } finally {
        await world.discard();
      }
    }
    expect(kills).toBeGreaterThan(8);
  });
});
