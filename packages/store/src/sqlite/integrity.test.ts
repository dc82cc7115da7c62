import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSearchThread } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertTopic } from '../statements/topics.js';
import { openSqlite } from './binding/open.js';
import { openSqliteStore } from './sqlite-store.js';

describe('the check of a SQLite file', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'stoa-check-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const path = (): string => join(directory, 'stoa.db');
  const open = (checkThread: URL) =>
    openSqliteStore(path(), { durability: 'relaxed', checkThread });

  /** Larger than what is checked at once. */
  const makeLarge = (): void => {
    const db = openSqlite(path());
    db.exec('CREATE TABLE "ballast" ("bytes" BLOB)');
    db.exec('INSERT INTO "ballast" VALUES (zeroblob(4000000))');
    db.close();
  };
  const spoil = (): void => {
    const db = openSqlite(path());
    db.exec('CREATE TABLE "spoiled" ("n" INTEGER CHECK ("n" > 0))');
    db.pragma('ignore_check_constraints = ON');
    db.exec('INSERT INTO "spoiled" VALUES (-1)');
    db.close();
  };
  const nowhere = (): URL => pathToFileURL(join(directory, 'nowhere.mjs'));

  it('runs in a separate thread, and finds problems', async () => {
    makeLarge();
    const entry = await buildSearchThread(directory);
    const store = open(entry);
    await store.transact(() => insertTopic.run({ name: 'channel:a' }));
    expect(await store.integrityProblems()).toEqual([]);
    await store.close();

    spoil();
    const damaged = open(entry);
    expect(await damaged.integrityProblems()).toEqual(['CHECK constraint failed in spoiled']);
    await damaged.close();
  });

  it('runs without a thread if the file is small, and finds the same', async () => {
    const store = open(nowhere());
    expect(await store.integrityProblems()).toEqual([]);
    await store.close();
    spoil();
    const damaged = open(nowhere());
    expect(await damaged.integrityProblems()).toEqual(['CHECK constraint failed in spoiled']);
    await damaged.close();
  });

  it('fails with its thread, and the store continues', async () => {
    makeLarge();
    const store = open(nowhere());
    await expect(store.integrityProblems()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await store.transact(() => insertTopic.run({ name: 'channel:a' }));
    await store.close();
  });

  it('is ended when the store is closed', async () => {
    makeLarge();
    const store = open(await buildSearchThread(directory));
    const check = store.integrityProblems();
    await store.close();
    await expect(check).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
