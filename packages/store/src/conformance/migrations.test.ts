import { appendEvent, STORE_ENGINES, type TestDatabase } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Migration } from '../schema/migration.js';
import { MIGRATIONS } from '../schema/migrations.js';
import { statement } from '../sql/statement.js';
import { listEventsAfter } from '../statements/events.js';
import { findTopic, insertTopic } from '../statements/topics.js';

const released = MIGRATIONS.length;

const step = (version: number, name: string, sql: string): Migration => ({
  version,
  name,
  sqlite: sql,
  postgres: sql,
});

/** What the next releases might bring: a table, and a column that is filled from what is there. */
const future = [
  step(released + 1, 'notes', `CREATE TABLE "notes" ("id" TEXT NOT NULL PRIMARY KEY, "text" TEXT)`),
  step(
    released + 2,
    'shouted',
    `ALTER TABLE "notes" ADD COLUMN "shouted" TEXT; UPDATE "notes" SET "shouted" = upper("text")`,
  ),
];
const all = [...MIGRATIONS, ...future];

const insertNote = statement<{ id: string; text: string }>(
  `INSERT INTO "notes" ("id", "text") VALUES (:id, :text)`,
);
const listNotes = statement<object, { id: string; text: string; shouted: string | null }>(
  `SELECT * FROM "notes" ORDER BY "id"`,
);

describe.each(STORE_ENGINES)('the schema on $name', (engine) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await engine.newDatabase();
  });
  afterEach(async () => {
    await database.discard();
  });

  /** Opens at a version, runs, closes. */
  async function at<T>(
    migrations: readonly Migration[],
    work: (store: Awaited<ReturnType<TestDatabase['open']>>) => Promise<T>,
  ): Promise<T> {
    const store = await database.open({ migrations });
    try {
      expect(store.schemaVersion).toBe(migrations.length);
      return await work(store);
    } finally {
      await store.close();
    }
  }

  const writeSome = (migrations: readonly Migration[]): Promise<unknown> =>
    at(migrations, (store) =>
      store.transact(function* () {
        yield* insertTopic.run({ name: 'channel:old' });
        yield* appendEvent('channel:old', 'kept');
        if (migrations.length > released) yield* insertNote.run({ id: 'n', text: 'quiet' });
      }),
    );

  const readAll = (migrations: readonly Migration[]): Promise<string[]> =>
    at(migrations, (store) =>
      store.read(function* () {
        const topic = yield* findTopic.first({ name: 'channel:old' });
        const events = yield* listEventsAfter.all({ topicId: topic?.id ?? 0, after: 0, limit: 10 });
        return events.map((event) => event.body);
      }),
    );

  const versions = Array.from({ length: all.length - released }, (_, i) => released + i);
  it.each(versions)('F-13 goes from version %i to the newest and keeps the data', async (from) => {
    await writeSome(all.slice(0, from));
    expect(await readAll(all)).toEqual(['kept']);
    const notes = await at(all, (store) => store.read(() => listNotes.all({})));
    expect(notes).toEqual(from > released ? [{ id: 'n', text: 'quiet', shouted: 'QUIET' }] : []);
  });

  it('F-13 is unchanged when a step fails, including the earlier steps of the same start', async () => {
    await writeSome(MIGRATIONS);
    const broken = [...all, step(all.length + 1, 'broken', `INSERT INTO "nowhere" VALUES (1)`)];
    const opening = database.open({ migrations: broken });
    await expect(opening).rejects.toMatchObject({ code: 'migration_failed' });
    await expect(opening).rejects.toThrow(`Migration ${String(all.length + 1)} (broken)`);
    expect(await readAll(MIGRATIONS)).toEqual(['kept']);
    expect(await readAll(all)).toEqual(['kept']);
  });

  it('F-14 is refused if it is newer than the program, with the required version', async () => {
    await writeSome(all);
    const opening = database.open();
    await expect(opening).rejects.toMatchObject({ code: 'schema_too_new' });
    await expect(opening).rejects.toThrow(`knows version ${String(all.length)}`);
    expect(await readAll(all)).toEqual(['kept']);
  });

  it('opens again without a change', async () => {
    await writeSome(MIGRATIONS);
    expect(await readAll(MIGRATIONS)).toEqual(['kept']);
    expect(await readAll(MIGRATIONS)).toEqual(['kept']);
  });
});
