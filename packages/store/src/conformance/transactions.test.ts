import { appendEvent, STORE_ENGINES, type TestDatabase } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tx } from '../sql/statement.js';
import { together } from '../sql/together.js';
import { listEventsAfter } from '../statements/events.js';
import { findTopic, insertTopic, type TopicRow } from '../statements/topics.js';
import type { Store } from '../store.js';

describe.each(STORE_ENGINES)('a transaction on $name', (engine) => {
  let database: TestDatabase;
  let store: Store;
  let topics = 0;

  beforeAll(async () => {
    database = await engine.newDatabase();
    store = await database.open();
  });
  afterAll(async () => {
    await store.close();
    await database.discard();
  });

  async function newTopic(): Promise<string> {
    topics += 1;
    const name = `channel:t${String(topics)}`;
    await store.transact(() => insertTopic.run({ name }));
    return name;
  }

  /** The bodies of a topic, after a check that its numbers are dense and its head is the last. */
  async function bodiesOf(name: string): Promise<string[]> {
    return store.read(function* () {
      const topic = (yield* findTopic.first({ name })) as TopicRow;
      const events = yield* listEventsAfter.all({ topicId: topic.id, after: 0, limit: 10_000 });
      expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
      expect(topic.head).toBe(events.length);
      return events.map((event) => event.body);
    });
  }

  it('F-9 leaves nothing behind if its body throws, and its promise rejects with the same error', async () => {
    const topic = await newTopic();
    const thrown = new Error('changed my mind');
    const failing = store.transact(function* () {
      yield* appendEvent(topic, 'never');
      throw thrown;
    });
    await expect(failing).rejects.toBe(thrown);
    expect(await bodiesOf(topic)).toEqual([]);
  });

  it('gives each of the parts that run together its own results, in their order', async () => {
    const [first, second] = [await newTopic(), await newTopic()];
    const found = await store.transact(function* () {
      yield* appendEvent(first, 'a');
      return yield* together(
        findTopic.first({ name: first }),
        countedEvents(first),
        together(findTopic.first({ name: second }), nothingAsked('b')),
        appendEvent(second, 'c'),
        findTopic.first({ name: 'channel:none' }),
      );
    });
    expect(found).toMatchObject([
      { name: first, head: 1 },
      1,
      [{ name: second, head: 0 }, 'b'],
      1,
      undefined,
    ]);
    expect(await bodiesOf(second)).toEqual(['c']);
    const read = await store.read(() => together(countedEvents(first), countedEvents(second)));
    expect(read).toEqual([1, 1]);
  });

  it('sees its changes before it waits for their results', async () => {
    const name = `channel:unread${String(++topics)}`;
    const found = await store.transact(function* () {
      yield* insertTopic.run({ name });
      yield* appendEvent(name, 'a');
      return (yield* findTopic.first({ name }))?.head;
    });
    expect(found).toBe(1);
    expect(await bodiesOf(name)).toEqual(['a']);
  });

  it.each([
    ['at its end', 0],
    ['before others', 3],
  ])('fails with a change that fails %s, although its result was not awaited', async (_, more) => {
    const topic = await newTopic();
    const failing = store.transact(function* () {
      yield* appendEvent(topic, 'never');
      yield* insertTopic.run({ name: topic });
      for (let i = 0; i < more; i++) yield* insertTopic.run({ name: `${topic}-${String(i)}` });
      return 'done';
    });
    await expect(failing).rejects.toThrow(/unique/i);
    expect(await bodiesOf(topic)).toEqual([]);
    expect(await store.read(() => findTopic.first({ name: `${topic}-0` }))).toBeUndefined();
  });

  it('fails with the first failure among statements that run together', async () => {
    const topic = await newTopic();
    const failing = store.transact(() =>
      together(
        findTopic.first({ name: topic }),
        insertTopic.changes({ name: topic }),
        findTopic.first({ name: topic }),
      ),
    );
    await expect(failing).rejects.toThrow(/unique/i);
    expect(await bodiesOf(topic)).toEqual([]);
  });

  it('F-9 F-37 that throws in a group of 32 does not harm the others, and each is answered once', async () => {
    const topic = await newTopic();
    const answers: number[] = [];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 32 }, (_, i) =>
        store.transact(
          function* () {
            const seq = yield* appendEvent(topic, String(i));
            if (i === 13) throw new Error('unlucky');
            return seq;
          },
          { lane: topic, afterCommit: () => answers.push(i) },
        ),
      ),
    );
    const lucky = Array.from({ length: 32 }, (_, i) => i).filter((i) => i !== 13);
    expect(outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []))).toEqual(lucky);
    expect(answers).toEqual(lucky);
    expect(await bodiesOf(topic)).toEqual(lucky.map(String));
  });

  it.each<[string, (topic: string) => Tx<unknown>]>([
    [
      'with changes that nobody asks about behind it',
      (name) => together(insertTopic.changes({ name }), insertTopic.run({ name })),
    ],
    [
      'before its body throws',
      function* (name) {
        yield* insertTopic.run({ name });
        throw new Error('for another reason');
      },
    ],
  ])('F-37 that fails in a group %s does not affect the others', async (_, fail) => {
    const topic = await newTopic();
    const runs = new Array<number>(6).fill(0);
    const outcomes = await Promise.allSettled(
      runs.map((__, i) =>
        store.transact(
          function* () {
            runs[i] = (runs[i] ?? 0) + 1;
            yield* appendEvent(topic, String(i));
            if (i === 3) yield* fail(topic);
          },
          { lane: topic },
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
      runs.map((__, i) => i !== 3),
    );
    expect(await bodiesOf(topic)).toEqual(['0', '1', '2', '4', '5']);
    expect(runs.filter((__, i) => i !== 3)).toEqual([1, 1, 1, 1, 1]);
  });

  it('F-37 that breaks a constraint in a group of 32 does not harm the others', async () => {
    const topic = await newTopic();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 32 }, (_, i) =>
        store.transact(
          function* () {
            yield* appendEvent(topic, String(i));
            if (i % 10 === 5) yield* insertTopic.run({ name: topic });
          },
          { lane: topic },
        ),
      ),
    );
    const broken = outcomes.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []));
    expect(broken).toEqual([5, 15, 25]);
    const kept = Array.from({ length: 32 }, (_, i) => i).filter((i) => !broken.includes(i));
    expect(await bodiesOf(topic)).toEqual(kept.map(String));
  });

  it('cannot start another one from inside its body', async () => {
    const topic = await newTopic();
    const nesting = store.transact(function* () {
      yield* appendEvent(topic, 'outer');
      void store.transact(() => appendEvent(topic, 'inner'));
    });
    await expect(nesting).rejects.toThrow('inside a transaction');
    expect(await bodiesOf(topic)).toEqual([]);
  });

  it('can start another one from its afterCommit', async () => {
    const topic = await newTopic();
    let inner: Promise<number> | undefined;
    await store.transact(() => appendEvent(topic, 'first'), {
      afterCommit: () => {
        inner = store.transact(() => appendEvent(topic, 'second'));
      },
    });
    expect(await inner).toBe(2);
    expect(await bodiesOf(topic)).toEqual(['first', 'second']);
  });

  it('calls afterCommit in commit order, before its caller is answered', async () => {
    const topic = await newTopic();
    const committed: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const seq = await store.transact(() => appendEvent(topic, String(i)), {
          lane: topic,
          afterCommit: (seq) => committed.push(seq),
        });
        expect(committed).toContain(seq);
      }),
    );
    expect(committed).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it('does not call afterCommit when nothing was committed', async () => {
    let isCalled = false;
    const failing = store.transact(
      // eslint-disable-next-line require-yield -- it ends before it wants anything
      function* (): Tx<void> {
        throw new Error('at once');
      },
      { afterCommit: () => (isCalled = true) },
    );
    await expect(failing).rejects.toThrow('at once');
    expect(isCalled).toBe(false);
  });

  it('is invisible to reads before its commit, and completely visible after its answer', async () => {
    const topic = await newTopic();
    const pairs = 40;
    const progress = { done: false };
    const writing = (async () => {
      for (let i = 0; i < pairs; i++) {
        await store.transact(function* () {
          yield* appendEvent(topic, 'left');
          yield* appendEvent(topic, 'right');
        });
        expect((await bodiesOf(topic)).length).toBeGreaterThanOrEqual(2 * (i + 1));
      }
      progress.done = true;
    })();
    while (!progress.done) {
      expect((await bodiesOf(topic)).length % 2).toBe(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
    expect(await bodiesOf(topic)).toHaveLength(2 * pairs);
  });

  it('sees its own writes', async () => {
    const topic = await newTopic();
    const head = await store.transact(function* () {
      yield* appendEvent(topic, 'a');
      return (yield* findTopic.first({ name: topic }))?.head;
    });
    expect(head).toBe(1);
  });

  it('F-10 of 64 concurrent writers gets dense sequences, in the order each was answered', async () => {
    const names = await Promise.all(Array.from({ length: 4 }, newTopic));
    await Promise.all(
      Array.from({ length: 64 }, async (_, writer) => {
        const topic = names[writer % names.length] as string;
        let last = 0;
        for (let i = 0; i < 8; i++) {
          const seq = await store.transact(
            () => appendEvent(topic, `${String(writer)}/${String(i)}`),
            {
              lane: topic,
            },
          );
          expect(seq).toBeGreaterThan(last);
          last = seq;
        }
      }),
    );
    for (const name of names) {
      const bodies = await bodiesOf(name);
      expect(new Set(bodies).size).toBe(16 * 8);
      expect(bodies).toHaveLength(16 * 8);
    }
  });
});

describe.each(STORE_ENGINES)('closing a store on $name', (engine) => {
  it('finishes begun transactions, refuses later ones, and can be repeated', async () => {
    const database = await engine.newDatabase();
    const store = await database.open();
    const topic = 'channel:closing';
    await store.transact(() => insertTopic.run({ name: topic }));
    const begun = Array.from({ length: 20 }, (_, i) =>
      store.transact(() => appendEvent(topic, String(i)), i % 2 === 0 ? { lane: topic } : {}),
    );
    await Promise.all([store.close(), store.close()]);
    const seqs = (await Promise.all(begun)).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const refused = { code: 'shutting_down' };
    await expect(store.transact(() => appendEvent(topic, 'late'))).rejects.toMatchObject(refused);
    await expect(store.read(() => findTopic.first({ name: topic }))).rejects.toMatchObject(refused);
    await expect(store.integrityProblems()).rejects.toMatchObject(refused);
    await store.close();

    const again = await database.open();
    expect((await again.read(() => findTopic.first({ name: topic })))?.head).toBe(20);
    expect(await again.integrityProblems()).toEqual([]);
    await again.close();
    await database.discard();
  });
});

function* countedEvents(name: string): Tx<number> {
  const topicId = (yield* findTopic.first({ name }))?.id ?? 0;
  return (yield* listEventsAfter.all({ topicId, after: 0, limit: 10 })).length;
}

// eslint-disable-next-line require-yield -- a part that asks for nothing is a part too
function* nothingAsked<T>(value: T): Tx<T> {
  return value;
}
