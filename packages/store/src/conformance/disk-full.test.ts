import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendEvent } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../sqlite/binding/database.js';
import { openSqlite } from '../sqlite/binding/open.js';
import { SqliteStore } from '../sqlite/sqlite-store.js';
import { listEventsAfter } from '../statements/events.js';
import { findTopic, insertTopic } from '../statements/topics.js';

const topic = 'channel:a';
const UNLIMITED = 1_073_741_823;

/** SQLite answers the same whether the disk or the number of pages it may use is at its end. */
describe('a full disk on sqlite', () => {
  let directory: string;
  let db: SqliteDatabase;
  let store: SqliteStore;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'stoa-full-'));
    db = openSqlite(join(directory, 'stoa.db'));
    store = new SqliteStore(db, { durability: 'full' });
    await store.transact(() => insertTopic.run({ name: topic }));
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const leavePages = (pages: number): void => {
    const used = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${String(used + pages)}`);
  };

  const bodies = (): Promise<string[]> =>
    store.read(function* () {
      const topicId = (yield* findTopic.first({ name: topic }))?.id ?? 0;
      const events = yield* listEventsAfter.all({ topicId, after: 0, limit: 1000 });
      expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
      return events.map((event) => event.body);
    });

  it('F-37 fails the one of 32 grouped transactions that needs the space; the others are answered once', async () => {
    leavePages(8);
    const answered: number[] = [];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 32 }, (_, i) =>
        store.transact(() => appendEvent(topic, i === 11 ? 'x'.repeat(1_000_000) : String(i)), {
          afterCommit: () => answered.push(i),
        }),
      ),
    );
    const others = Array.from({ length: 32 }, (_, i) => i).filter((i) => i !== 11);
    expect(outcomes[11]).toMatchObject({ reason: { code: 'storage_full' } });
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(31);
    expect(answered).toEqual(others);
    expect(await bodies()).toEqual(others.map(String));
  });

  it('F-11 fails writes as full while reads continue, and writes work again when there is space', async () => {
    await store.transact(() => appendEvent(topic, 'before'));
    leavePages(0);
    const large = 'x'.repeat(100_000);
    await expect(store.transact(() => appendEvent(topic, large))).rejects.toMatchObject({
      code: 'storage_full',
    });
    expect(await bodies()).toEqual(['before']);
    db.pragma(`max_page_count = ${String(UNLIMITED)}`);
    await store.transact(() => appendEvent(topic, large));
    expect(await bodies()).toEqual(['before', large]);
    expect(await store.integrityProblems()).toEqual([]);
  });
});
