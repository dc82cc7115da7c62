import { appendEvent, STORE_ENGINES, type TestDatabase } from '@stoa/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tx } from '../sql/statement.js';
import { listEventsAfter } from '../statements/events.js';
import { findTopic, insertTopic } from '../statements/topics.js';
import type { Store } from '../store.js';

/** A transaction appends to some topics and may fail, before, between or after, or by a constraint. */
interface Plan {
  readonly lane: number | undefined;
  readonly topics: readonly number[];
  readonly failure: { readonly kind: 'throws' | 'breaks'; readonly after: number } | undefined;
}

const TOPICS = 3;
const topicIndex = fc.nat({ max: TOPICS - 1 });
const plan: fc.Arbitrary<Plan> = fc.record({
  lane: fc.option(topicIndex, { nil: undefined }),
  topics: fc.array(topicIndex, { minLength: 1, maxLength: 4 }),
  failure: fc.option(
    fc.record({ kind: fc.constantFrom('throws', 'breaks'), after: fc.nat({ max: 4 }) }),
    { nil: undefined, freq: 3 },
  ),
});
/** Rounds of transactions that start at once; the next round starts when one is answered. */
const program = fc.array(fc.array(plan, { minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: 3,
});

interface Answer {
  readonly plan: Plan;
  readonly id: string;
  readonly seqs: number[] | undefined;
}

describe.each(STORE_ENGINES)('any interleaving of transactions on $name', (engine) => {
  let database: TestDatabase;
  let store: Store;
  let runs = 0;

  beforeAll(async () => {
    database = await engine.newDatabase();
    store = await database.open();
  });
  afterAll(async () => {
    await store.close();
    await database.discard();
  });

  it('equals a model in which they ran one after the other', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(program, async (rounds) => {
        runs += 1;
        const names = Array.from(
          { length: TOPICS },
          (_, i) => `channel:${String(runs)}-${String(i)}`,
        );
        await store.transact(function* () {
          for (const name of names) yield* insertTopic.run({ name });
        });
        const committed: string[] = [];
        const answers: Answer[][] = [];
        for (const [r, round] of rounds.entries()) {
          const ids = round.map((_, i) => `${String(r)}/${String(i)}`);
          answers.push(
            await Promise.all(round.map((each, i) => run(names, each, ids[i] ?? '', committed))),
          );
        }
        await compare(names, answers, committed);
      }),
      { numRuns: 30 },
    );
  });

  async function run(
    names: readonly string[],
    plan: Plan,
    id: string,
    committed: string[],
  ): Promise<Answer> {
    const lane = plan.lane === undefined ? undefined : names[plan.lane];
    try {
      const seqs = await store.transact(() => body(names, plan, id), {
        ...(lane === undefined ? {} : { lane }),
        afterCommit: () => committed.push(id),
      });
      return { plan, id, seqs };
    } catch {
      return { plan, id, seqs: undefined };
    }
  }

  async function compare(
    names: readonly string[],
    rounds: readonly Answer[][],
    committed: readonly string[],
  ): Promise<void> {
    const answers = rounds.flat();
    for (const { plan, seqs } of answers)
      expect(seqs !== undefined).toBe(plan.failure === undefined);
    const succeeded = answers.filter((answer) => answer.seqs !== undefined);
    expect([...committed].sort()).toEqual(succeeded.map(({ id }) => id).sort());

    for (const [t, name] of names.entries()) {
      const expected = new Map<number, string>();
      for (const { plan, id, seqs } of succeeded) {
        plan.topics.forEach((topic, i) => {
          if (topic === t) expected.set(seqs?.[i] ?? 0, id);
        });
      }
      const stored = await eventsOf(name);
      expect(stored.map(([seq]) => seq)).toEqual(stored.map((_, i) => i + 1));
      expect(stored).toEqual([...expected].sort(([a], [b]) => a - b));
    }
    for (const round of rounds) expectLanesInOrder(round, committed);
  }

  /** Transactions of one lane that started together were committed in the order they came. */
  function expectLanesInOrder(round: readonly Answer[], committed: readonly string[]): void {
    for (let lane = 0; lane < TOPICS; lane++) {
      const inLane = round.filter(({ plan, seqs }) => plan.lane === lane && seqs !== undefined);
      const positions = inLane.map(({ id }) => committed.indexOf(id));
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    }
  }

  const eventsOf = (name: string): Promise<[number, string][]> =>
    store.read(function* () {
      const topicId = (yield* findTopic.first({ name }))?.id ?? 0;
      const events = yield* listEventsAfter.all({ topicId, after: 0, limit: 1000 });
      return events.map(({ seq, body: id }) => [seq, id]);
    });
});

function* body(names: readonly string[], { topics, failure }: Plan, id: string): Tx<number[]> {
  const seqs: number[] = [];
  const last = failure && Math.min(failure.after, topics.length);
  for (let i = 0; i <= topics.length; i++) {
    if (i === last && failure?.kind === 'throws') throw new Error('as planned');
    if (i === last) yield* insertTopic.run({ name: names[0] ?? '' });
    const topic = topics[i];
    if (topic !== undefined) seqs.push(yield* appendEvent(names[topic] ?? '', id));
  }
  return seqs;
}
