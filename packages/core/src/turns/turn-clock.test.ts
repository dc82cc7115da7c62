import { openSqliteStore, type Store } from '@stoa/store';
import { type StoreEngine, until } from '@stoa/testkit';
import { afterEach, expect, it } from 'vitest';
import { TurnStage } from './turn-stage.fixture.js';

const UNWRITABLE = 'nothing can be written';

/** A store on which nothing can be written while it is broken. */
class BreakableStore implements StoreEngine {
  readonly name = 'sqlite';
  isBroken = false;

  newDatabase() {
    const open = (): Promise<Store> =>
      Promise.resolve(this.#breakable(openSqliteStore(':memory:', { durability: 'relaxed' })));
    return Promise.resolve({ open, discard: () => Promise.resolve() });
  }

  #breakable(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'transact' && this.isBroken) {
          return () => Promise.reject(new Error(UNWRITABLE));
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}

let stage: TurnStage;
afterEach(() => stage.close());

it('a thread that could not be reevaluated is tried again after a second, not at once', async () => {
  const store = new BreakableStore();
  stage = await TurnStage.open(store, ['a', 'b'], { leaseTimeoutMs: 60_000 });
  const { diagnoses, timers } = stage.daemon;
  const failures = (): number =>
    diagnoses.filter(({ details }) =>
      String((details as { error?: unknown }).error).includes(UNWRITABLE),
    ).length;
  await stage.say('hello');
  expect((await stage.next()).name).toBe('a');
  await stage.core.turnClock.poll();
  store.isBroken = true;
  stage.world.clock.move(120_000);
  await stage.core.turnClock.poll();
  expect(failures()).toBe(1);
  timers.advance(900);
  // A round that the alarm began would be over before this one.
  await stage.core.turnClock.poll();
  expect(failures()).toBe(2);
  timers.advance(1_000);
  await until('it is tried again', () => failures() === 3 || undefined);
  store.isBroken = false;
  timers.advance(1_000);
  expect((await stage.next()).name).toBe('b');
});
