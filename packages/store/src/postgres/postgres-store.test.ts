import { appendEvent, type FreshDatabase, freshDatabase } from '@stoa/testkit';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statement } from '../sql/statement.js';
import { findHuman } from '../statements/access.js';
import { findTopic, insertTopic } from '../statements/topics.js';
import { openPostgresStore, type PostgresStore } from './postgres-store.js';

const topic = 'channel:a';

describe('a store on PostgreSQL', () => {
  let database: FreshDatabase;
  let admin: pg.Client;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await freshDatabase();
    admin = new pg.Client(database.url);
    await admin.connect();
    store = await openPostgresStore({ url: database.url, durability: 'full' });
    await store.transact(() => insertTopic.run({ name: topic }));
  });
  afterAll(async () => {
    await store.close();
    await admin.end();
    await database.drop();
  });

  it('is opened by several daemons at once, and migrated by one of them', async () => {
    const fresh = await freshDatabase();
    const options = { url: fresh.url, durability: 'full' } as const;
    const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore(options)));
    for (const each of stores) {
      expect((await each.read(() => findTopic.first({ name: 'none' }))) ?? null).toBeNull();
    }
    await Promise.all(stores.map((each) => each.close()));
    await fresh.drop();
  });

  it('opens without the right to create tables if nothing is missing', async () => {
    await admin.query(`DROP ROLE IF EXISTS "plain"; CREATE ROLE "plain" LOGIN PASSWORD 'p';
      GRANT ALL ON ALL TABLES IN SCHEMA public TO "plain"; REVOKE CREATE ON SCHEMA public FROM PUBLIC`);
    const url = new URL(database.url);
    url.username = 'plain';
    url.password = 'p';
    const plain = await openPostgresStore({ url: url.href, durability: 'full' });
    expect(await plain.read(() => findTopic.first({ name: topic }))).toBeDefined();
    expect(await plain.integrityProblems()).toEqual([]);
    await plain.close();
    await admin.query('DROP OWNED BY "plain"; DROP ROLE "plain"');
  });

  it('waits for the disk of the server unless durability is relaxed, regardless of the URL', async () => {
    const setting = statement<object, { value: string }>(
      `SELECT current_setting('synchronous_commit') AS "value"`,
    );
    const url = new URL(database.url);
    url.searchParams.set('options', '-c synchronous_commit=off');
    const full = await openPostgresStore({ url: url.href, durability: 'full' });
    const relaxed = await openPostgresStore({ url: database.url, durability: 'relaxed' });
    expect(await full.transact(() => setting.first({}))).toEqual({ value: 'on' });
    expect(await relaxed.transact(() => setting.first({}))).toEqual({ value: 'off' });
    await Promise.all([full.close(), relaxed.close()]);
  });

  it('is refused when the database cannot hold every text', async () => {
    await admin.query('DROP DATABASE IF EXISTS "narrow"');
    await admin.query(
      `CREATE DATABASE "narrow" TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'`,
    );
    const url = new URL(database.url);
    url.pathname = 'narrow';
    const opening = openPostgresStore({ url: url.href, durability: 'full' });
    await expect(opening).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(opening).rejects.toThrow('LATIN1');
    await admin.query('DROP DATABASE "narrow"');
  });

  it('F-37 rejects the one member of a group for which the disk is full, and commits the others', async () => {
    await admin.query(`CREATE FUNCTION full_disk() RETURNS void LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`);
    const fillDisk = statement<object>('SELECT full_disk()');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 32 }, (_, i) =>
        store.transact(
          function* () {
            yield* appendEvent(topic, String(i));
            if (i === 7) yield* fillDisk.run({});
          },
          { lane: topic },
        ),
      ),
    );
    const failed = outcomes.flatMap((outcome, i) => (outcome.status === 'rejected' ? [i] : []));
    expect(failed).toEqual([7]);
    expect(outcomes[7]).toMatchObject({ reason: { code: 'storage_full' } });
    expect((await store.read(() => findTopic.first({ name: topic })))?.head).toBe(31);
  });

  it('finds gaps, events without a topic and broken indexes', async () => {
    expect(await store.integrityProblems()).toEqual([]);
    await admin.query('CREATE EXTENSION amcheck');
    expect(await store.integrityProblems()).toEqual([]);
    await admin.query(`DELETE FROM "events" WHERE "seq" = 3;
      INSERT INTO "events" VALUES (999, 1, 1, 'test', 'system', '{}')`);
    expect(await store.integrityProblems()).toEqual([
      'topic channel:a should hold every event from 1 to 31, and holds 30 of them',
      '1 events belong to no topic (999)',
    ]);
  });

  it('prepares a statement once per connection, and a limited number of them', async () => {
    const many = Array.from({ length: 600 }, (_, i) =>
      statement<object, { n: number }>(`SELECT ${String(i)}::bigint AS "n"`),
    );
    const prepared = statement<object, { count: number }>(
      'SELECT count(*) AS "count" FROM pg_prepared_statements',
    );
    const found = await store.transact(function* () {
      for (let round = 0; round < 2; round++) {
        for (const [i, each] of many.entries()) expect(yield* each.first({})).toEqual({ n: i });
      }
      return yield* prepared.first({});
    });
    expect(found?.count).toBeGreaterThan(400);
    expect(found?.count).toBeLessThan(600);
  });

  it('continues when another daemon has added a column to a table', async () => {
    const older = await openPostgresStore({ url: database.url, durability: 'full' });
    const read = () => older.read(() => findHuman.first({ humanId: 'ada' }));
    const write = () =>
      older.transact(function* () {
        yield* appendEvent(topic, 'x');
        return yield* findHuman.first({ humanId: 'ada' });
      });
    await Promise.all([read(), write()]);
    await admin.query('ALTER TABLE "humans" ADD COLUMN "nickname" TEXT');
    expect(await Promise.all([read(), write()])).toEqual([undefined, undefined]);
    await older.close();
  });

  it('refuses a number that JavaScript cannot hold, instead of rounding it', async () => {
    const huge = statement<object, { n: number }>('SELECT 9007199254740993::bigint AS "n"');
    await expect(store.read(() => huge.first({}))).rejects.toThrow('9007199254740993 is too large');
    const largest = statement<object, { n: number }>('SELECT 9007199254740991::bigint AS "n"');
    expect(await store.read(() => largest.first({}))).toEqual({ n: Number.MAX_SAFE_INTEGER });
  });

  it('reads several statements from one snapshot, also the first time', async () => {
    const first = statement<object, { head: number }>(
      `SELECT max("seq") AS "head" FROM "events" WHERE "topicId" = 1 AND 1 = 1`,
    );
    let runs = 0;
    let writing: Promise<unknown> | undefined;
    const read = () =>
      store.read(function* () {
        runs += 1;
        const before = yield* first.first({});
        const again = yield* first.first({});
        return { before, again };
      });
    for (let i = 0; i < 20; i++) {
      writing = store.transact(() => appendEvent(topic, 'x'));
      const { before, again } = await read();
      expect(again).toEqual(before);
      await writing;
    }
    expect(runs).toBe(21);
  });
});
