import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqlValue } from '../sql/statement.js';
import { statement } from '../sql/statement.js';
import { findTopic, insertTopic } from '../statements/topics.js';
import type { SqliteDatabase, SqliteStatement } from './binding/database.js';
import { openSqlite } from './binding/open.js';
import { SqliteStore } from './sqlite-store.js';

const damage = statement<object>('SELECT 1 AS "damaged"');

type Prepared = SqliteStatement<readonly SqlValue[], unknown>;

/** Calls back before each prepared statement runs; what the callback throws is what the statement throws. */
function watched(db: SqliteDatabase, before: (sql: string) => void): SqliteDatabase {
  const prepare = db.prepare.bind(db) as (sql: string) => Prepared;
  db.prepare = ((sql: string) => {
    const statement = prepare(sql);
    for (const name of ['run', 'get', 'all'] as const) {
      const execute = statement[name].bind(statement) as (...values: readonly SqlValue[]) => never;
      statement[name] = (...values: readonly SqlValue[]): never => {
        before(sql);
        return execute(...values);
      };
    }
    return statement;
  }) as typeof db.prepare;
  return db;
}

describe('group commit', () => {
  let directory: string;
  let db: SqliteDatabase;
  let store: SqliteStore;
  let flushes: (() => void)[];
  let statements: string[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'stoa-group-'));
    statements = [];
    flushes = [];
    db = watched(openSqlite(join(directory, 'stoa.db')), (sql) => {
      statements.push(sql);
      if (!sql.includes('damaged')) return;
      throw Object.assign(new Error('broken'), { code: 'SQLITE_CORRUPT' });
    });
    store = new SqliteStore(db, {
      durability: 'full',
      // A group that takes too long is cut: on a busy machine that would be up to chance.
      ports: { schedule: (flush) => void flushes.push(flush), now: () => 0 },
    });
    statements = [];
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const insert = (name: string) => store.transact(() => insertTopic.changes({ name }));
  const flush = (): void => {
    for (const run of flushes.splice(0)) run();
  };
  const ran = (text: string): number => statements.filter((one) => one === text).length;
  const callers = Array.from({ length: 32 }, (_, i) => `channel:${String(i)}`);

  it('32 callers at once share one commit', async () => {
    const answers = callers.map(insert);
    expect(flushes).toHaveLength(1);
    flush();
    expect(await Promise.all(answers)).toEqual(callers.map(() => 1));
    expect(ran('COMMIT')).toBe(1);
    expect(flushes).toHaveLength(0);
  });

  it('a group whose BEGIN fails is refused as a whole, and waits once', async () => {
    const other = openSqlite(join(directory, 'stoa.db'));
    other.exec('BEGIN IMMEDIATE');
    const answers = Promise.allSettled(callers.map(insert));
    flush();
    other.exec('ROLLBACK');
    other.close();
    for (const answer of await answers) {
      expect(answer).toMatchObject({ reason: { code: 'storage_unavailable' } });
    }
    expect(ran('BEGIN IMMEDIATE')).toBe(1);
    const again = insert('channel:again');
    flush();
    expect(await again).toBe(1);
  });

  it('damage fails only the member that encounters it, and the others are committed', async () => {
    const answers = Promise.allSettled([
      insert('channel:a'),
      store.transact(function* () {
        yield* insertTopic.changes({ name: 'channel:b' });
        db.exec('ROLLBACK');
        yield* damage.first({});
      }),
      insert('channel:c'),
    ]);
    flush();
    const [a, b, c] = await answers;
    expect([a.status, b.status, c.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(b).toMatchObject({ reason: { code: 'storage_unavailable' } });
    expect(await store.read(() => findTopic.first({ name: 'channel:b' }))).toBeUndefined();
    expect(await store.read(() => findTopic.first({ name: 'channel:c' }))).toBeDefined();
  });

  it('a member that throws after its commit does not block the answers of others', async () => {
    const defect = new Error('a defect');
    const afterCommit = (): void => {
      throw defect;
    };
    const answers = Promise.allSettled([
      store.transact(() => insertTopic.changes({ name: 'channel:a' }), { afterCommit }),
      insert('channel:b'),
    ]);
    flush();
    expect(await answers).toMatchObject([{ reason: defect }, { status: 'fulfilled', value: 1 }]);
  });
});
