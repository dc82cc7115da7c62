import {
  ChannelLog,
  type LoggedMessage,
  SEARCH_ENGINES,
  type SearchDatabase,
  type TestedSearchIndex,
} from '@stoa/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, parseQuery } from './search-query.js';
import { newestFirst } from './tail-scan.js';

interface Known extends LoggedMessage {
  readonly createdAt: number;
  text: string | undefined;
}

interface Channel {
  readonly log: ChannelLog;
  readonly messages: Known[];
  isErased: boolean;
}

/** The index beside a plain list of what it should know. */
class Model {
  #now = 0;

  constructor(
    private readonly database: SearchDatabase,
    private index: TestedSearchIndex,
    private readonly channels: readonly Channel[],
  ) {}

  static async open(database: SearchDatabase): Promise<Model> {
    const channels: Channel[] = [];
    for (const name of ['a', 'b', 'c']) {
      const log = await ChannelLog.create(database.store, name);
      channels.push({ log, messages: [], isErased: false });
    }
    return new Model(database, await database.open(), channels);
  }

  async close(): Promise<void> {
    await this.index.close();
    await this.database.discard();
  }

  async reopen(): Promise<void> {
    await this.index.close();
    this.index = await this.database.open();
  }

  settle(): Promise<void> {
    return this.index.settled();
  }

  step(): void {
    this.index.step?.();
  }

  async search(text: string, limit: number, chosen?: number): Promise<void> {
    const channel = chosen === undefined ? undefined : this.#channel(chosen);
    const topicId = channel?.log.topicId;
    const terms = parseQuery(text);
    const expected = (channel ? [channel] : this.channels)
      .filter(({ isErased }) => !isErased)
      .flatMap(({ log, messages }) => messages.map((one) => ({ ...one, topicId: log.topicId })))
      .filter((message) => message.text !== undefined && matches(terms, message.text));
    const request = { text, limit, ...(topicId === undefined ? {} : { topicId }) };
    expect(await this.index.search(request)).toEqual(newestFirst(expected, limit));
  }

  async searchAll(): Promise<void> {
    for (const text of ['alpha', 'al', 'beta ', '部', '部署']) await this.search(text, 100);
  }

  /** Some follow each other within a millisecond. */
  post(chosen: number, text: string, isLater: boolean): Promise<void> {
    return this.#write(chosen, async ({ log, messages }) => {
      if (isLater) this.#now += 1;
      const createdAt = this.#now;
      for (const posted of await log.post(createdAt, text)) {
        messages.push({ ...posted, createdAt, text });
      }
    });
  }

  edit(chosen: number, message: number, text: string): Promise<void> {
    return this.#change(chosen, message, async (log, known) => {
      await log.edit(this.#now, known.messageId, text);
      known.text = text;
    });
  }

  delete(chosen: number, message: number): Promise<void> {
    return this.#change(chosen, message, async (log, known) => {
      await log.delete(this.#now, known.messageId);
      known.text = undefined;
    });
  }

  react(chosen: number, message: number): Promise<void> {
    return this.#change(chosen, message, (log, known) => log.react(this.#now, known.messageId));
  }

  erase(chosen: number): Promise<void> {
    return this.#write(chosen, async (channel) => {
      await channel.log.erase(this.#now);
      channel.isErased = true;
    });
  }

  #channel(chosen: number): Channel {
    return this.channels[chosen % this.channels.length] as Channel;
  }

  async #write(chosen: number, write: (channel: Channel) => Promise<void>): Promise<void> {
    const channel = this.#channel(chosen);
    if (channel.isErased) return;
    await write(channel);
    this.index.hint(channel.log.topicId);
  }

  #change(
    chosen: number,
    message: number,
    change: (log: ChannelLog, known: Known) => Promise<void>,
  ): Promise<void> {
    return this.#write(chosen, async ({ log, messages }) => {
      const known = messages[message % messages.length];
      if (known?.text !== undefined) await change(log, known);
    });
  }
}

interface Action {
  readonly run: (model: Model) => unknown;
  /** How a failing list of actions is printed. */
  readonly [fc.toStringMethod]: () => string;
}

const WORDS = ['alpha', 'alp', 'beta', '部署', '部', '署成', '署', 'AL-PHA', '"', ' '];
const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(' '));
const some = fc.nat({ max: 100 });

function weighted<A extends readonly unknown[]>(
  weight: number,
  name: string,
  args: { [K in keyof A]: fc.Arbitrary<A[K]> },
  run: (model: Model, ...args: A) => unknown,
): { weight: number; arbitrary: fc.Arbitrary<Action> } {
  const arbitrary = fc.tuple(...args).map((values) => ({
    run: (model: Model) => run(model, ...(values as unknown as A)),
    [fc.toStringMethod]: () => `${name}(${values.map((value) => JSON.stringify(value)).join()})`,
  }));
  return { weight, arbitrary };
}

const action = fc.oneof(
  weighted(6, 'post', [some, text, fc.boolean()], (m, c, t, isLater) => m.post(c, t, isLater)),
  weighted(3, 'edit', [some, some, text], (m, c, message, t) => m.edit(c, message, t)),
  weighted(2, 'delete', [some, some], (m, c, message) => m.delete(c, message)),
  weighted(1, 'react', [some, some], (m, c, message) => m.react(c, message)),
  weighted(1, 'erase', [some], (m, c) => m.erase(c)),
  weighted(6, 'step', [], (m) => m.step()),
  weighted(1, 'settle', [], (m) => m.settle()),
  weighted(1, 'reopen', [], (m) => m.reopen()),
  weighted(4, 'search', [text, fc.nat({ max: 6 })], (m, t, limit) => m.search(t, limit)),
  weighted(2, 'searchIn', [text, some], (m, t, c) => m.search(t, 5, c)),
);

describe.each(SEARCH_ENGINES)('the search index on $name', (engine) => {
  it('agrees with a plain list of messages after any operations, at any progress of indexing', async () => {
    const play = async (actions: readonly Action[]): Promise<void> => {
      const model = await Model.open(await engine.newDatabase());
      try {
        for (const { run } of actions) await run(model);
        await model.searchAll();
        await model.settle();
        await model.searchAll();
      } finally {
        await model.close();
      }
    };
    const actions = fc.array(action, { minLength: 10, maxLength: 60, size: 'max' });
    await fc.assert(fc.asyncProperty(actions, play), { numRuns: engine.isCheap ? 60 : 5 });
  }, 120_000);
});
