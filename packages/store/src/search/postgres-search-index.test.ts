import { ChannelLog, type FreshDatabase, freshDatabase, until } from '@stoa/testkit';
import fc from 'fast-check';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore, type PostgresStore } from '../postgres/postgres-store.js';
import { indexSome } from './postgres-indexing.js';
import { openPostgresSearchIndex } from './postgres-search-index.js';
import { postgresOnly } from './postgres-search-schema.js';
import { toTsquery, toTsvector } from './postgres-text.js';
import type { SearchIndex } from './search-index.js';
import { matches, parseQuery } from './search-query.js';
import { TOKEN_LIMITS, tokensOf } from './search-tokens.js';

describe('the search tables of PostgreSQL', () => {
  let database: FreshDatabase;
  let stores: PostgresStore[];
  let indexes: SearchIndex[];

  beforeEach(async () => {
    database = await freshDatabase();
    stores = [];
    indexes = [];
  });
  afterEach(async () => {
    for (const index of indexes) await index.close();
    for (const store of stores) await store.close();
    await database.drop();
  });

  async function newStore(): Promise<PostgresStore> {
    const store = await openPostgresStore({ url: database.url, durability: 'relaxed' });
    stores.push(store);
    return store;
  }

  async function newIndex(store: PostgresStore): Promise<SearchIndex> {
    const index = await openPostgresSearchIndex(store);
    indexes.push(index);
    return index;
  }

  const compare = postgresOnly<{ tokens: string; query: string }, { matches: boolean }>(
    `SELECT :tokens::tsvector @@ :query::tsquery AS "matches"`,
  );

  it('match the same as the query, for any query and any text', async () => {
    const store = await newStore();
    const unit = fc.constantFrom(
      'a',
      'b',
      'ab',
      'A',
      '部',
      '署',
      '成',
      ' ',
      ' ',
      '"',
      '-',
      "'",
      '\\',
      ':*&|!',
    );
    const mixed = fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit, maxLength: 12 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    );
    await fc.assert(
      fc.asyncProperty(mixed, mixed, async (text, query) => {
        const terms = parseQuery(query);
        if (terms.length === 0) return;
        const params = { tokens: toTsvector(tokensOf(text)), query: toTsquery(terms) };
        const row = await store.read(() => compare.first(params));
        expect(row?.matches).toBe(matches(terms, text));
      }),
      { numRuns: 500 },
    );
  });

  it('store the largest possible message', async () => {
    const store = await newStore();
    const wide = '𐐀'.repeat(TOKEN_LIMITS.tokenChars / 2 - 3);
    const texts = [
      Array.from({ length: 30_000 }, (_, i) => `${wide}${String(i)}`).join(' '),
      Array.from({ length: 30_000 }, (_, i) => `ꯀ${'ꯀ'.repeat(58)}${String(i)}`).join(' '),
      'word '.repeat(50_000),
      Array.from({ length: 60_000 }, (_, i) => String.fromCodePoint(0x4e00 + (i % 20_000))).join(
        '',
      ),
    ];
    for (const text of texts) {
      const tokens = tokensOf(text);
      for (const token of [tokens[0], tokens.at(-1)]) {
        const params = {
          tokens: toTsvector(tokens),
          query: toTsquery(parseQuery(`${token ?? ''} `)),
        };
        expect(await store.read(() => compare.first(params))).toEqual({ matches: true });
      }
    }
  });

  it('are made once by daemons that start together, and filled by all of them', async () => {
    const [store, ...others] = await Promise.all([newStore(), newStore(), newStore()]);
    const logs = await Promise.all(['a', 'b'].map((name) => ChannelLog.create(store, name)));
    for (let at = 10; at < 20; at++) {
      for (const log of logs) {
        const [message] = await log.post(at, ...Array.from({ length: 100 }, () => 'alpha'));
        await log.edit(at, message?.messageId ?? '', 'beta');
      }
    }
    const opened = await Promise.all([store, ...others].map(newIndex));
    await Promise.all(opened.map((index) => index.settled()));
    for (const index of opened) {
      expect(await index.search({ text: 'alpha', limit: 5_000 })).toHaveLength(1_980);
      expect(await index.search({ text: 'beta', limit: 5_000 })).toHaveLength(20);
    }
    const count = postgresOnly<object, { documents: number; behind: number }>(
      `SELECT (SELECT count(*) FROM "searchDocuments") AS "documents",
         (SELECT count(*) FROM "searchWatermarks" w WHERE w."seq" <
            (SELECT max(e."seq") FROM "events" e WHERE e."topicId" = w."topicId")) AS "behind"`,
    );
    expect(await store.read(() => count.first({}))).toEqual({ documents: 2_000, behind: 0 });
  });

  it('find messages of another daemon without a hint', async () => {
    const [writer, reader] = [await newStore(), await newStore()];
    const index = await newIndex(reader);
    await index.settled();
    const log = await ChannelLog.create(writer, 'ops');
    await log.post(10, 'alpha');
    expect(await index.search({ text: 'alpha', limit: 5 })).toHaveLength(1);
  });

  const fillEvents = postgresOnly<{ topicId: number }>(
    `INSERT INTO "events" ("topicId", "seq", "at", "type", "actor", "body")
     SELECT :topicId::bigint, s, s, 'message_posted', 'system',
       '{"inputItems":[{"type":"text","text":"filling"}]}' FROM generate_series(3, 9000) s`,
  );
  const fillMessages = postgresOnly<{ topicId: number }>(
    `INSERT INTO "messages" ("topicId", "seq", "ordinal", "messageId", "authorId", "bodySeq", "createdAt")
     SELECT :topicId::bigint, s, s, 'msg' || s, 'system', s, s FROM generate_series(3, 9000) s`,
  );

  it('find a rare word before thousands of newer messages, and a common one among them', async () => {
    const store = await newStore();
    const log = await ChannelLog.create(store, 'ops');
    const { topicId } = log;
    const [rare] = await log.post(2, 'rare');
    await store.transact(() => fillEvents.run({ topicId }));
    await store.transact(() => fillMessages.run({ topicId }));
    const index = await newIndex(store);
    await index.settled();
    for (const where of [{}, { topicId }]) {
      expect(await index.search({ text: 'rare', limit: 20, ...where })).toEqual([
        { topicId, seq: rare?.seq },
      ]);
      expect(await index.search({ text: 'filling', limit: 2, ...where })).toEqual([
        { topicId, seq: 9_000 },
        { topicId, seq: 8_999 },
      ]);
      const all = await index.search({ text: 'filling', limit: 10_000, ...where });
      expect(all).toHaveLength(8_998);
    }
  });

  const setVersion = postgresOnly<{ version: number }>(
    `UPDATE "searchVersion" SET "version" = :version`,
  );

  it('are built again if they are of an older version, and unchanged if newer', async () => {
    const store = await newStore();
    const log = await ChannelLog.create(store, 'ops');
    await log.post(10, 'alpha');
    const first = await newIndex(store);
    await first.settled();
    await first.close();
    await store.transact(() => setVersion.run({ version: 0 }));
    const second = await newIndex(store);
    await second.settled();
    expect(await second.search({ text: 'alpha', limit: 5 })).toHaveLength(1);
    await second.close();
    await store.transact(() => setVersion.run({ version: 99 }));
    await expect(openPostgresSearchIndex(store)).rejects.toMatchObject({ code: 'schema_too_new' });
  });

  it('lose a deleted channel, also if two daemons drop it at once', async () => {
    const [here, there] = [await newStore(), await newStore()];
    await (await newIndex(here)).close();
    const [watcher, blocker] = [new pg.Client(database.url), new pg.Client(database.url)];
    await Promise.all([watcher.connect(), blocker.connect()]);
    const count = async (sql: string): Promise<number> =>
      (await watcher.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`)).rows[0]?.n ?? 0;
    try {
      await watcher.query(
        `INSERT INTO "searchWatermarks" VALUES (7, 600);
         INSERT INTO "searchDocuments" SELECT 7, i, i, 'a:1'::tsvector FROM generate_series(1, 600) i`,
      );
      await blocker.query('BEGIN; SELECT 1 FROM "searchDocuments" FOR UPDATE');
      const dropping = Promise.all([here, there].map((store) => indexSome(store, 7)));
      await until(
        'both wait',
        async () =>
          (await count(
            `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )) === 2,
      );
      await blocker.query('COMMIT');
      await dropping;
      while ((await indexSome(here, 7)).isMore);
      expect(await count('"searchDocuments"')).toBe(0);
      expect(await count('"searchWatermarks"')).toBe(0);
    } finally {
      await Promise.all([watcher.end(), blocker.end()]);
    }
  });

  it('refuse when closed', async () => {
    const index = await newIndex(await newStore());
    await index.close();
    const refused = { code: 'shutting_down' };
    await expect(index.search({ text: 'x', limit: 1 })).rejects.toMatchObject(refused);
    await expect(index.settled()).rejects.toMatchObject(refused);
    index.hint(1);
  });
});
