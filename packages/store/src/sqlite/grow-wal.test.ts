import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteDatabase } from './binding/database.js';
import { openSqlite } from './binding/open.js';
import { growWal, isWorthGrowing } from './grow-wal.js';

const BYTES = 1_000_000;

describe('the WAL that is extended at the start', () => {
  let directory: string;
  let db: SqliteDatabase;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'stoa-grow-'));
    db = openSqlite(join(directory, 'a.db'));
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('cache_size = -65536');
  });
  afterEach(() => {
    db.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const value = (name: string): unknown => db.pragma(name, { simple: true });

  it('F-36 has about the requested length, contains nothing, and commits are synced as before', () => {
    growWal(db, BYTES);
    expect(statSync(join(directory, 'a.db-wal')).size).toBeGreaterThan(0.9 * BYTES);
    expect(db.prepare('SELECT * FROM "sqlite_master"').all()).toEqual([]);
    expect(value('synchronous')).toBe(2);
    expect(value('cache_size')).toBe(-65536);
  });

  it('F-36 keeps commits synced if it cannot grow', () => {
    db.exec('CREATE TABLE "growth" ("already" TEXT)');
    expect(() => {
      growWal(db, BYTES);
    }).toThrow('already exists');
    expect(db.inTransaction).toBe(false);
    expect(value('synchronous')).toBe(2);
    expect(value('cache_size')).toBe(-65536);
  });

  it('does not grow if the disk is almost full', () => {
    expect(isWorthGrowing(join(directory, 'a.db'), Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
