import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendEvent, STORE_ENGINES, type TestDatabase } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Migration } from '../schema/migration.js';
import { MIGRATIONS } from '../schema/migrations.js';
import { statement } from '../sql/statement.js';
import { openSqlite } from '../sqlite/binding/open.js';
import { migrateSqlite } from '../sqlite/migrate.js';
import { openSqliteStore } from '../sqlite/sqlite-store.js';
import { insertHuman } from '../statements/access.js';
import { findCursor, moveCursor } from '../statements/cursors.js';
import { listEventsAfter } from '../statements/events.js';
import { findTopic, insertTopic, type TopicRow } from '../statements/topics.js';
import type { Store } from '../store.js';

const topics = ['channel:a', 'channel:b', 'human:c'];

const NOTES = `CREATE TABLE "addedLater" ("id" TEXT NOT NULL PRIMARY KEY, "text" TEXT NOT NULL)`;
const addedLater: Migration = {
  version: MIGRATIONS.length + 1,
  name: 'added later',
  sqlite: NOTES,
  postgres: NOTES,
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

/** Every table that some migrations make, with its columns. */
function tablesAfter(migrations: readonly Migration[]): Map<string, Column[]> {
  const db = openSqlite(':memory:');
  migrateSqlite(db, migrations);
  const names = db
    .prepare<[], { name: string }>(
      `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE 'sqlite_%'`,
    )
    .all();
  const tables = names.map(({ name }): [string, Column[]] => [
    name,
    db.pragma(`table_info("${name}")`) as Column[],
  ]);
  db.close();
  return new Map(tables);
}

/** One row. The engines number topics themselves. */
function insertRow(table: string, columns: readonly Column[]): string {
  const given = columns.filter(({ name }) => table !== 'topics' || name !== 'id');
  const names = given.map(({ name }) => `"${name}"`).join(', ');
  const values = given.map(({ type }) => (type === 'TEXT' ? `'seven'` : '7')).join(', ');
  return `INSERT INTO "${table}" (${names}) VALUES (${values})`;
}

describe.each(STORE_ENGINES)('a backup on $name', (engine) => {
  let directory: string;
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stoa-backup-'));
    database = await engine.newDatabase();
    store = await database.open();
    for (const name of topics) await store.transact(() => insertTopic.run({ name }));
  });
  afterEach(async () => {
    await store.close();
    await database.discard();
    await rm(directory, { recursive: true });
  });

  const path = (): string => join(directory, 'copy.db');

  function* topicRow(name: string) {
    return (yield* findTopic.first({ name })) as TopicRow;
  }

  it('F-16 OP-5 taken while others write is one consistent state that opens as an ordinary SQLite file', async () => {
    let acknowledged = 0;
    let stop = false;
    const write = async (writer: number): Promise<void> => {
      while (!stop) {
        const topic = topics[writer % topics.length] as string;
        await store.transact(
          function* () {
            const { id } = yield* topicRow(topic);
            yield* appendEvent(topic, 'left');
            const readSeq = yield* appendEvent(topic, 'right');
            yield* moveCursor.run({ humanId: 'ada', topicId: id, readSeq });
          },
          { lane: topic },
        );
        acknowledged += 1;
      }
    };
    const writers = Array.from({ length: 6 }, (_, i) => write(i));
    while (acknowledged < 300) await new Promise((resolve) => setImmediate(resolve));
    const before = acknowledged;
    await store.backupTo(path());
    const after = acknowledged;
    stop = true;
    await Promise.all(writers);

    const copy = openSqliteStore(path(), { durability: 'full' });
    expect(await copy.integrityProblems()).toEqual([]);
    let events = 0;
    for (const name of topics) {
      const bodies = await copy.read(function* () {
        const { id, head } = yield* topicRow(name);
        const rows = yield* listEventsAfter.all({ topicId: id, after: 0, limit: 100_000 });
        expect(rows.map((row) => row.seq)).toEqual(rows.map((_, i) => i + 1));
        expect(rows).toHaveLength(head);
        expect(yield* findCursor.first({ humanId: 'ada', topicId: id })).toEqual({ readSeq: head });
        return rows.map((row) => row.body);
      });
      expect(bodies).toEqual(bodies.map((_, i) => (i % 2 === 0 ? 'left' : 'right')));
      events += bodies.length;
    }
    expect(events / 2).toBeGreaterThanOrEqual(before);
    expect(events / 2).toBeLessThanOrEqual(after + writers.length);
    await copy.close();
  });

  it('F-16 keeps every value, and continues the numbering of the original', async () => {
    const text = 'line\nquote " \' \\ 漢字 🏛 ';
    await store.transact(function* () {
      yield* appendEvent('channel:a', text);
      yield* insertHuman.run({
        humanId: 'ada',
        displayName: text,
        role: 'owner',
        createdAt: 1_763_000_000_123,
      });
    });
    await store.backupTo(path());
    const db = openSqlite(path());
    expect(db.prepare('SELECT *, typeof("createdAt") AS "type" FROM "humans"').all()).toEqual([
      {
        humanId: 'ada',
        displayName: text,
        role: 'owner',
        createdAt: 1_763_000_000_123,
        type: 'integer',
      },
    ]);
    expect(db.prepare('SELECT "body" FROM "events"').all()).toEqual([{ body: text }]);
    db.close();
    const copy = openSqliteStore(path(), { durability: 'full' });
    const inserted = await copy.transact(() => insertTopic.first({ name: 'channel:new' }));
    expect(inserted?.id).toBe(topics.length + 1);
    await copy.close();
  });

  it('OP-16 contains every table of the schema, also one that a later migration adds', async () => {
    const migrations = [...MIGRATIONS, addedLater];
    const tables = tablesAfter(migrations);
    const grown = await engine.newDatabase();
    const full = await grown.open({ migrations });
    await full.transact(function* () {
      for (const [table, columns] of tables)
        yield* statement<object>(insertRow(table, columns)).run({});
    });
    await full.backupTo(path());
    await full.close();
    await grown.discard();

    const copy = openSqlite(path(), { readonly: true });
    const counts = [...tables.keys()].map((table) => [
      table,
      copy.prepare(`SELECT count(*) AS "rows" FROM "${table}"`).get(),
    ]);
    copy.close();
    expect(counts).toEqual([...tables.keys()].map((table) => [table, { rows: 1 }]));
    expect(tables.size).toBeGreaterThan(46);
  });

  it('replaces an older copy and leaves nothing else behind', async () => {
    await store.backupTo(path());
    await store.transact(() => appendEvent('channel:a', 'newer'));
    await store.backupTo(path());
    expect(await readdir(directory)).toEqual(['copy.db']);
    const copy = openSqliteStore(path(), { durability: 'full' });
    expect((await copy.read(() => topicRow('channel:a'))).head).toBe(1);
    await copy.close();
  });

  it('that cannot be written fails, and the store continues', async () => {
    await expect(store.backupTo(join(directory, 'missing', 'copy.db'))).rejects.toThrow();
    expect(await store.transact(() => appendEvent('channel:a', 'still here'))).toBe(1);
  });
});
