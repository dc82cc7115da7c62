import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSearchThread } from '@stoa/testkit';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertTopic } from '../verbs/topics.js';
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

  it('is done in a thread of its own, and finds what is wrong', async () => {
    const entry = await buildSearchThread(directory);
    const store = open(entry);
    await store.transact(() => insertTopic.run({ name: 'channel:a' }));
    expect(await store.integrityProblems()).toEqual([]);
    await store.close();

    const db = new Database(path());
    db.exec('CREATE TABLE "spoiled" ("n" INTEGER CHECK ("n" > 0))');
    db.pragma('ignore_check_constraints = ON');
    db.exec('INSERT INTO "spoiled" VALUES (-1)');
    db.close();
    const damaged = open(entry);
    expect(await damaged.integrityProblems()).toEqual(['CHECK constraint failed in spoiled']);
    await damaged.close();
  });

  it('fails with its thread, and the store goes on', async () => {
    const store = open(pathToFileURL(join(directory, 'nowhere.mjs')));
    await expect(store.integrityProblems()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await store.transact(() => insertTopic.run({ name: 'channel:a' }));
    await store.close();
  });

  it('is ended when the store is closed', async () => {
    const store = open(await buildSearchThread(directory));
    const check = store.integrityProblems();
    await store.close();
    await expect(check).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
