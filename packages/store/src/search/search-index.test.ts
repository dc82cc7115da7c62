import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ChannelLog, freshDatabase, type LoggedMessage } from '@stoa/testkit';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../postgres/postgres-store.js';
import { openSqliteStore } from '../sqlite/sqlite-store.js';
import type { Store } from '../store.js';
import { openPostgresSearchIndex } from './postgres-search-index.js';
import type { SearchIndex, SearchRequest } from './search-index.js';
import { matches, parseQuery } from './search-query.js';
import { openSqliteSearchIndex } from './sqlite-search-index.js';
import { newestFirst } from './tail-scan.js';
import { ThreadedSearchIndex } from './threaded-search-index.js';

interface Place {
  readonly store: Store;
  open(): Promise<SearchIndex>;
  discard(): Promise<void>;
}

interface Engine {
  readonly name: string;
  readonly runs: number;
  prepare(): Promise<void>;
  newPlace(): Promise<Place>;
  tidy(): void;
}

/** The index itself, with steps so small that it is hardly ever done; a hint is one of them. */
function openInSteps(databasePath: string, searchPath: string): SearchIndex {
  const limits = { topics: 1, events: 3, bytes: 1_000 };
  const index = openSqliteSearchIndex(databasePath, searchPath, limits);
  let isOpen = true;
  return {
    search: (request) => Promise.resolve(index.search(request)),
    hint(topicId) {
      index.hint(topicId);
      index.indexSome();
    },
    settled() {
      index.refresh();
      while (index.indexSome());
      return Promise.resolve();
    },
    close() {
      if (isOpen) index.close();
      isOpen = false;
      return Promise.resolve();
    },
  };
}

function sqliteEngine(
  name: string,
  runs: number,
  open: (databasePath: string, searchPath: string, directory: string) => SearchIndex,
  prepare: (directory: string) => Promise<void>,
): Engine {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-search-'));
  return {
    name,
    runs,
    prepare: () => prepare(root),
    newPlace() {
      const directory = fs.mkdtempSync(path.join(root, 'place-'));
      const main = path.join(directory, 'stoa.db');
      const store = openSqliteStore(main, { durability: 'relaxed' });
      return Promise.resolve({
        store,
        open: () => Promise.resolve(open(main, path.join(directory, 'search.db'), root)),
        async discard() {
          await store.close();
          fs.rmSync(directory, { recursive: true });
        },
      });
    },
    tidy: () => {
      fs.rmSync(root, { recursive: true });
    },
  };
}

const postgres: Engine = {
  name: 'PostgreSQL',
  runs: 8,
  prepare: () => Promise.resolve(),
  async newPlace() {
    const database = await freshDatabase();
    const store = await openPostgresStore({ url: database.url, durability: 'relaxed' });
    return {
      store,
      open: () => openPostgresSearchIndex(store),
      async discard() {
        await store.close();
        await database.drop();
      },
    };
  },
  tidy: () => undefined,
};

const threadFile = (directory: string): string => path.join(directory, 'search-thread.mjs');

async function buildThread(directory: string): Promise<void> {
  const sqlite = path.resolve(
    import.meta.dirname,
    '../../../../node_modules/better-sqlite3/lib/index.js',
  );
  await build({
    entryPoints: [path.join(import.meta.dirname, 'search-thread.ts')],
    outfile: threadFile(directory),
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['stoa-source'],
    alias: { 'better-sqlite3': sqlite },
    external: [sqlite],
  });
}

const ENGINES: readonly Engine[] = [
  sqliteEngine('SQLite', 60, openInSteps, () => Promise.resolve()),
  sqliteEngine(
    'SQLite in a thread',
    8,
    (databasePath, searchPath, directory) =>
      new ThreadedSearchIndex({
        entry: pathToFileURL(threadFile(directory)),
        databasePath,
        searchPath,
      }),
    buildThread,
  ),
  postgres,
];

describe.each(ENGINES)('the search index on $name', (engine) => {
  let place: Place;
  let index: SearchIndex;
  let log: ChannelLog;

  beforeAll(() => engine.prepare());
  afterAll(() => {
    engine.tidy();
  });
  beforeEach(async () => {
    place = await engine.newPlace();
    index = await place.open();
    log = await ChannelLog.create(place.store, 'ops');
  });
  afterEach(async () => {
    await index.close();
    await place.discard();
  });

  const find = async (text: string, request: Partial<SearchRequest> = {}): Promise<number[]> =>
    (await index.search({ text, limit: 20, ...request })).map(({ seq }) => seq);

  /** The same before the index has seen anything, at some moment on the way, and after. */
  async function always(check: () => Promise<void>): Promise<void> {
    await check();
    index.hint(log.topicId);
    await check();
    await index.settled();
    await check();
    await index.close();
    index = await place.open();
    await check();
  }

  const post = async (at: number, text: string): Promise<LoggedMessage> =>
    (await log.post(at, text))[0] as LoggedMessage;

  it('C-33 finds kubectl and 部署, with their position', async () => {
    const english = await post(10, 'Run kubectl apply -f deploy.yaml');
    const chinese = await post(20, '已经部署成功');
    const mixed = await post(30, '请用kubectl重新部署');
    await post(40, 'nothing of the kind, 没有');
    await always(async () => {
      expect(await index.search({ text: 'kubectl', limit: 20 })).toEqual([
        { topicId: log.topicId, seq: mixed.seq },
        { topicId: log.topicId, seq: english.seq },
      ]);
      expect(await find('部署')).toEqual([mixed.seq, chinese.seq]);
      expect(await find('部')).toEqual([mixed.seq, chinese.seq]);
      expect(await find('署')).toEqual([mixed.seq, chinese.seq]);
      expect(await find('部署成功')).toEqual([chinese.seq]);
      expect(await find('署部')).toEqual([]);
      expect(await find('kubectl部署')).toEqual([mixed.seq]);
      expect(await find('部署 KUBE')).toEqual([mixed.seq]);
      expect(await find('"kubectl apply"')).toEqual([english.seq]);
      expect(await find('"apply kubectl"')).toEqual([]);
      expect(await find('kub ')).toEqual([]);
    });
  });

  it('answers newest first, as many as asked for, in one channel or in all', async () => {
    const other = await ChannelLog.create(place.store, 'other');
    for (let at = 10; at < 40; at++)
      await (at % 3 === 0 ? other : log).post(at, `word n${String(at)}`);
    await log.post(50, 'word same', 'word same');
    await other.post(50, 'word same');
    await always(async () => {
      const all = await index.search({ text: 'word', limit: 100 });
      expect(all).toHaveLength(33);
      expect(await index.search({ text: 'word', limit: 7 })).toEqual(all.slice(0, 7));
      expect(await index.search({ text: 'same', limit: 2 })).toEqual(all.slice(0, 2));
      const own = all.filter(({ topicId }) => topicId === other.topicId);
      expect(own).toHaveLength(11);
      expect(own.map(({ seq }) => seq)).toEqual(own.map(({ seq }) => seq).sort((a, b) => b - a));
      expect(await index.search({ text: 'wor', limit: 100, topicId: other.topicId })).toEqual(own);
      expect(await index.search({ text: 'word', limit: 0 })).toEqual([]);
      expect(await index.search({ text: 'word', limit: 10, topicId: 999 })).toEqual([]);
    });
  });

  it('finds a message by what it says now, at its first place', async () => {
    const first = await post(10, 'alpha');
    await index.settled();
    const second = await post(20, 'alpha');
    await log.edit(30, first.messageId, 'beta');
    await always(async () => {
      expect(await find('alpha')).toEqual([second.seq]);
      expect(await find('beta')).toEqual([first.seq]);
    });
    await log.edit(40, second.messageId, 'beta');
    await log.edit(50, first.messageId, 'gamma');
    await log.edit(60, first.messageId, 'beta gamma');
    await always(async () => {
      expect(await find('alpha')).toEqual([]);
      expect(await find('beta')).toEqual([second.seq, first.seq]);
      expect(await find('gamma')).toEqual([first.seq]);
    });
  });

  it('does not find what was deleted', async () => {
    const indexed = await post(10, 'alpha');
    await index.settled();
    const edited = await post(20, 'alpha');
    await log.edit(30, edited.messageId, 'alpha again');
    await log.delete(40, indexed.messageId);
    await log.delete(50, edited.messageId);
    const kept = await post(60, 'alpha');
    await always(async () => expect(await find('alpha')).toEqual([kept.seq]));
  });

  it('drops a channel that was deleted, indexed or not', async () => {
    const other = await ChannelLog.create(place.store, 'other');
    const unindexed = await ChannelLog.create(place.store, 'unindexed');
    const [kept] = await other.post(10, 'alpha');
    await log.post(20, ...Array.from({ length: 10 }, () => 'alpha'));
    await index.settled();
    await unindexed.post(30, 'alpha');
    await unindexed.erase(40);
    await log.erase(40);
    await always(async () => {
      expect(await index.search({ text: 'alpha', limit: 20 })).toEqual([
        { topicId: other.topicId, seq: kept?.seq },
      ]);
      expect(await find('alpha', { topicId: log.topicId })).toEqual([]);
    });
  });

  it('takes any text as a query', async () => {
    await post(10, `it's a "quoted" \\ back\\slash & | ! <-> :* (x) NEAR AND OR NOT ^ { } + - %`);
    const queries = [
      '"',
      "'",
      `'"`,
      '\\',
      '&',
      'a:*',
      'NEAR(',
      'AND',
      'OR OR',
      '-x',
      '{t} : x',
      '*',
    ];
    queries.push('\0', '\uD800', `"${"'".repeat(50)}`, "x' & 'y", 'a\0b', '%', ' ', '');
    await always(async () => {
      for (const query of queries) {
        const expected = matches(parseQuery(query), `it's a "quoted" back slash x NEAR AND OR NOT`);
        expect(await find(query), JSON.stringify(query)).toHaveLength(expected ? 1 : 0);
      }
    });
  });

  it('finds a word among more words with the same beginning than can be named', async () => {
    const words = Array.from({ length: 450 }, (_, i) => `prefix${String(i)}`);
    for (const [i, word] of words.entries()) await log.post(100 + i, `say ${word}`);
    await always(async () => {
      expect(await find('prefix', { limit: 1_000 })).toHaveLength(450);
      expect(await find('"say prefix4', { limit: 1_000 })).toHaveLength(1 + 10 + 50);
      expect(await find('prefix44', { limit: 1_000 })).toHaveLength(11);
    });
  });

  it('holds one very large message', async () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `word${String(i)}`).join(' ');
    const { seq } = await post(10, text);
    await always(async () => {
      expect(await find('word0 word12345 ')).toEqual([seq]);
      expect(await find('"word100 word101"')).toEqual([seq]);
    });
  });

  it('refuses when it is closed, and may be closed twice', async () => {
    await index.close();
    await index.close();
    if (engine.name === 'SQLite') return;
    await expect(index.search({ text: 'x', limit: 1 })).rejects.toMatchObject({
      code: 'shutting_down',
    });
    await expect(index.settled()).rejects.toMatchObject({ code: 'shutting_down' });
    index.hint(1);
  });

  const word = fc.constantFrom(
    'alpha',
    'alp',
    'beta',
    '部署',
    '部',
    '署成',
    '署',
    'AL-PHA',
    '"',
    ' ',
  );
  const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));
  const pick = fc.nat({ max: 100 });
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('post'), channel: pick, text }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('edit'), channel: pick, message: pick, text }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('delete'), channel: pick, message: pick }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('react'), channel: pick, message: pick }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('hint'), channel: pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('settle', 'reopen') }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('erase'), channel: pick }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('search'),
        channel: pick,
        text,
        limit: fc.nat({ max: 6 }),
      }),
    },
  );
  type Action = { do: string; channel?: number; message?: number; text?: string; limit?: number };

  interface Known extends LoggedMessage {
    at: number;
    text: string | undefined;
  }

  it('agrees with a plain list of messages, whatever is done and however far it has come', async () => {
    const play = async (actions: readonly Action[]): Promise<void> => {
      const own = await engine.newPlace();
      let tried = await own.open();
      let at = 0;
      const logs: ChannelLog[] = [];
      for (const name of ['a', 'b', 'c']) logs.push(await ChannelLog.create(own.store, name));
      const known = new Map(logs.map(({ topicId }) => [topicId, [] as Known[]]));
      const search = async ({ text = '', channel = 0, limit = 5 }: Action): Promise<void> => {
        const topicId = channel % 2 === 0 ? undefined : logs[channel % 3]?.topicId;
        const living = [...known].flatMap(([topic, messages]) =>
          messages.map((message) => ({ ...message, topicId: topic, createdAt: message.at })),
        );
        const expected = living.filter(
          (message) =>
            message.text !== undefined &&
            (topicId === undefined || message.topicId === topicId) &&
            matches(parseQuery(text), message.text),
        );
        const request = { text, limit, ...(topicId === undefined ? {} : { topicId }) };
        expect(await tried.search(request)).toEqual(newestFirst(expected, limit));
      };
      const perform = async (step: Action): Promise<void> => {
        const { channel = 0, message = 0, text = '' } = step;
        const target = logs[channel % 3] as ChannelLog;
        const messages = known.get(target.topicId);
        const chosen = messages?.[message % messages.length];
        if (step.do === 'search') await search(step);
        else if (step.do === 'hint') tried.hint(target.topicId);
        else if (step.do === 'settle') await tried.settled();
        else if (step.do === 'reopen') {
          await tried.close();
          tried = await own.open();
        } else if (!messages) return;
        else if (step.do === 'post') {
          at += message % 2;
          for (const posted of await target.post(at, text)) messages.push({ ...posted, at, text });
        } else if (step.do === 'erase') {
          await target.erase(at);
          known.delete(target.topicId);
        } else if (!chosen || chosen.text === undefined) return;
        else if (step.do === 'edit') {
          await target.edit(at, chosen.messageId, text);
          chosen.text = text;
        } else if (step.do === 'delete') {
          await target.delete(at, chosen.messageId);
          chosen.text = undefined;
        } else await target.react(at, chosen.messageId);
      };
      try {
        for (const step of actions) await perform(step);
        for (const text of ['alpha', 'al', 'beta', '部', '部署']) {
          await search({ do: 'search', text, limit: 100 });
        }
        await tried.settled();
        for (const text of ['alpha', 'al', 'beta', '部', '部署']) {
          await search({ do: 'search', text, limit: 100 });
        }
      } finally {
        await tried.close();
        await own.discard();
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 60, size: 'max' }), play),
      { numRuns: engine.runs, endOnFailure: true },
    );
  }, 120_000);
});
