import {
  type BoundStatement,
  insertEvent,
  insertIdempotencyKey,
  oneByOne,
  type Store,
  type Tx,
} from '@stoa/store';
import { describe, expect, it } from 'vitest';
import { SimulationFailure } from './failure.js';
import type { Planted } from './kernel.js';
import { simulate } from './simulate.js';

const SEEDS = 60;

/** The store, but for how it transacts. */
const storeThat =
  (transact: (inner: Store) => Store['transact']) =>
  (inner: Store): Store =>
    new Proxy(inner, {
      get(_, name) {
        if (name === 'transact') return transact(inner);
        const value: unknown = Reflect.get(inner, name);
        return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
      },
    });

/** Reports some statements as done without executing them. */
const dropping = (isDropped: (statement: BoundStatement) => boolean): ((inner: Store) => Store) =>
  storeThat(
    (inner) => (body, options) =>
      inner.transact(function* () {
        const tx = oneByOne(body());
        for (let step = tx.next(); ; ) {
          if (step.done) return step.value;
          step = tx.next(isDropped(step.value) ? 1 : yield step.value);
        }
      }, options),
  );

/** Answers as soon as the statements have run, before the commit. */
const hasty = storeThat(
  (inner) =>
    <T>(body: () => Tx<T>, options = {}) =>
      new Promise<T>((resolve, reject) => {
        const answered = function* (): Tx<T> {
          const value = yield* body();
          resolve(value);
          return value;
        };
        inner.transact(answered, options).catch(reject);
      }),
);

/** Made again for every seed, so that a run does not depend on those before it. */
const DEFECTS: readonly [what: string, planted: () => Planted][] = [
  ['a disk that forgets its last commit in a crash', () => ({ isDiskForgetful: true })],
  ['a store that answers before the commit', () => ({ store: hasty })],
  ['a store that drops a row of the log now and then', () => ({ store: dropping(everyEvent(9)) })],
  [
    'a store that keeps no idempotency keys',
    () => ({ store: dropping(({ text }) => text === insertIdempotencyKey.text) }),
  ],
];

function everyEvent(nth: number): (statement: BoundStatement) => boolean {
  let count = 0;
  return ({ text }) => text === insertEvent.text && ++count % nth === 0;
}

describe('the simulator', () => {
  it.each(DEFECTS)('notices %s, and says with which seed', async (_, planted) => {
    const failure = await firstFailure(planted);
    expect(failure).toBeInstanceOf(SimulationFailure);
    const { seed, message } = failure as SimulationFailure;
    expect(message).toContain(`seed ${seed} fails`);
    expect(message).toContain(`STOA_SEED=${seed}`);
    // Without the defect the same seed passes.
    expect((await simulate(seed)).steps).toBeGreaterThan(0);
  });
});

async function firstFailure(planted: () => Planted): Promise<unknown> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      await simulate(seed, planted());
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
