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

/** Daemons on one store that can be made to die with a commit. */
class MortalEngine implements StoreEngine {
  readonly name: StoreEngine['name'];
  /** How many commits the living daemons have left. */
  commitsLeft = Number.POSITIVE_INFINITY;

  constructor(private readonly engine: StoreEngine) {
    this.name = engine.name;
  }

  async newDatabase() {
    const database = await this.engine.newDatabase();
    return {
      ...database,
      open: async () => this.#mortal(await database.open()),
      discard: () => database.discard(),
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
  const members = await core.channels.members(OWNER, 'lobby');
  const { sessions } = await core.sessions.list(OWNER, { ended: 'include', limit: 50 });
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

/** Kills the first start after so many commits; whether there was anything left to do for the next. */
async function killedAfter(commits: number, engine: StoreEngine): Promise<boolean> {
  const mortal = new MortalEngine(engine);
  const world = await RuntimeWorld.open(mortal);
  try {
    const first = await world.start();
    mortal.commitsLeft = commits;
    const isWhole = await open(first).catch(() => false);
    mortal.commitsLeft = Number.POSITIVE_INFINITY;
    await first.abandon();
    const second = await world.start();
    expect(await open(second), `after ${String(commits)} commits`).toBe(!isWhole);
    expect(await stateOf(second)).toEqual(WHOLE);
    return !isWhole;
  } finally {
    await world.discard();
  }
}

describe('the opening of the lobby', () => {
  const [sqlite, ...others] = STORE_ENGINES;

  it('is completed by the next start after a kill at any step', async () => {
    if (!sqlite) throw new Error('there is no engine');
    let commits = 0;
    while (await killedAfter(commits, sqlite)) commits += 1;
    expect(commits).toBeGreaterThan(8);
  });

  it.each(others)('is completed on $name as well', async (engine) => {
    expect(await killedAfter(5, engine)).toBe(true);
  });
});
