import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ChannelLog } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../sqlite/binding/open.js';
import { openSqliteStore, type SqliteStore } from '../sqlite/sqlite-store.js';
import { openSqliteSearchIndex, type SqliteSearchIndex } from './sqlite-search-index.js';

describe('the search file', () => {
  let directory: string;
  let store: SqliteStore;
  let log: ChannelLog;
  let index: SqliteSearchIndex | undefined;

  const databasePath = (): string => path.join(directory, 'stoa.db');
  const searchPath = (): string => path.join(directory, 'search.db');

  beforeEach(async () => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-search-'));
    store = openSqliteStore(databasePath(), { durability: 'relaxed' });
    log = await ChannelLog.create(store, 'ops');
  });
  afterEach(async () => {
    close();
    await store.close();
    fs.rmSync(directory, { recursive: true });
  });

  function open(limits?: { topics: number; events: number; bytes: number }): SqliteSearchIndex {
    close();
    index = openSqliteSearchIndex(databasePath(), searchPath(), limits);
    return index;
  }

  function close(): void {
    index?.close();
    index = undefined;
  }

  function finish(opened: SqliteSearchIndex): void {
    while (opened.indexSome());
  }

  const count = (text: string): number | undefined => index?.search({ text, limit: 1_000 }).length;

  /** What is in the file, without the numbers that depend on the order of indexing. */
  function content(file = searchPath()): unknown {
    const db = openSqlite(file, { readonly: true });
    try {
      db.exec(
        `CREATE VIRTUAL TABLE temp."vocabulary" USING fts5vocab('main', 'texts', 'instance')`,
      );
      const all = (sql: string): unknown[] => db.prepare(sql).all();
      return {
        documents: all('SELECT "topicId", "seq" FROM "documents" ORDER BY "topicId", "seq"'),
        watermarks: all('SELECT * FROM "watermarks" ORDER BY "topicId"'),
        instances: all(
          `SELECT d."topicId", d."seq", v."col", v."offset", v."term" FROM temp."vocabulary" v
           LEFT JOIN "documents" d ON d."id" = v."doc" ORDER BY 1, 2, 3, 4`,
        ),
      };
    } finally {
      db.close();
    }
  }

  /** Posts, edits and deletes, with `between` after each. */
  async function live(between: () => void): Promise<void> {
    const other = await ChannelLog.create(store, 'other');
    const gone = await ChannelLog.create(store, 'gone');
    await gone.post(10, 'alpha', 'beta');
    for (let at = 20; at < 60; at++) {
      const written = at % 2 === 0 ? log : other;
      const [message] = await written.post(at, `alpha 部署 n${String(at)}`);
      between();
      const { messageId = '' } = message ?? {};
      if (at % 3 === 0) await written.edit(at, messageId, `beta 部署成功 n${String(at)}`);
      between();
      if (at % 5 === 0) await written.delete(at, messageId);
      between();
    }
    await gone.erase(70);
  }

  it('is the same when built in steps and when built at once', async () => {
    const grown = open({ topics: 2, events: 2, bytes: 100 });
    await live(() => {
      grown.refresh();
      grown.indexSome();
    });
    grown.refresh();
    finish(grown);
    const incremental = content();
    close();
    fs.rmSync(searchPath());
    finish(open());
    expect(content()).toEqual(incremental);
    expect(count('alpha')).toBe(21);
    expect(count('beta')).toBe(11);
  });

  it('continues after a crash at any step as if nothing had happened', async () => {
    await live(() => undefined);
    finish(open());
    const expected = content();
    close();
    fs.rmSync(searchPath());
    const crashed = path.join(directory, 'crashed.db');
    const victim = open({ topics: 1, events: 5, bytes: 1_000 });
    let steps = 0;
    for (let isMore = true; isMore; steps++) {
      isMore = victim.indexSome();
      // What a crash leaves: the files as they are, never closed.
      for (const suffix of ['', '-wal']) {
        fs.copyFileSync(`${searchPath()}${suffix}`, `${crashed}${suffix}`);
      }
      fs.rmSync(`${crashed}-shm`, { force: true });
      const survivor = openSqliteSearchIndex(databasePath(), crashed);
      finish(survivor);
      survivor.close();
      expect(content(crashed)).toEqual(expected);
    }
    expect(steps).toBeGreaterThan(10);
  });

  it.each([
    ['of another version', setVersion],
    ['no database', (file: string) => fs.writeFileSync(file, 'not a database '.repeat(1_000))],
    ['empty', (file: string) => fs.writeFileSync(file, '')],
  ])('is built again when it is %s', async (_, spoil) => {
    await log.post(10, 'alpha');
    finish(open());
    const expected = content();
    close();
    spoil(searchPath());
    finish(open());
    expect(count('alpha')).toBe(1);
    expect(content()).toEqual(expected);
  });

  it('is built again when the database is not the one it was made from', async () => {
    const backup = path.join(directory, 'backup.db');
    await log.post(10, 'alpha');
    await store.backupTo(backup);
    await log.post(20, 'beta', 'beta', 'beta');
    finish(open());
    expect(count('beta')).toBe(3);
    close();

    await store.close();
    for (const suffix of ['-wal', '-shm']) fs.rmSync(`${databasePath()}${suffix}`, { force: true });
    fs.renameSync(backup, databasePath());
    store = openSqliteStore(databasePath(), { durability: 'relaxed' });
    const restored = ChannelLog.reopen(store, 'ops', log.topicId);
    await restored.post(30, 'gamma', 'gamma', 'gamma', 'gamma');
    finish(open());
    expect(count('alpha')).toBe(1);
    expect(count('beta')).toBe(0);
    expect(count('gamma')).toBe(4);
  });

  it('is searched together with the newest part of a tail that is too long to read', async () => {
    open();
    const posted = [];
    for (let at = 10; at < 30; at++) {
      posted.push(...(await log.post(at, ...Array.from({ length: 500 }, () => 'alpha'))));
    }
    index?.hint(log.topicId);
    const found = index?.search({ text: 'alpha', limit: 20_000 }) ?? [];
    expect(found.length).toBeGreaterThan(1_000);
    expect(found.length).toBeLessThan(posted.length);
    const newest = posted.map(({ seq }) => seq).reverse();
    expect(found.map(({ seq }) => seq)).toEqual(newest.slice(0, found.length));
    finish(open());
    expect(index?.search({ text: 'alpha', limit: 20_000 })).toHaveLength(posted.length);
  });

  it('is written in turn for all channels, so that a long one does not hold up the others', async () => {
    await log.post(10, ...Array.from({ length: 500 }, () => 'alpha'));
    const small = await ChannelLog.create(store, 'small');
    await small.post(20, 'beta');
    const opened = open({ topics: 1, events: 10, bytes: 1_000_000 });
    const goal = new Map([[small.topicId, 2]]);
    opened.indexSome();
    expect(opened.isReached(goal)).toBe(false);
    opened.indexSome();
    expect(opened.isReached(goal)).toBe(true);
  });

  it('keeps no word that only a deleted channel had, also when it is closed on the way', async () => {
    const words = (): string[] => {
      const db = openSqlite(searchPath(), { readonly: true });
      const all = db
        .prepare<[], { word: string }>('SELECT "word" FROM "words" ORDER BY "word"')
        .all();
      db.close();
      return all.map(({ word }) => word);
    };
    const secret = await ChannelLog.create(store, 'secret');
    const mine = Array.from({ length: 9 }, (_, i) => `word${String(i)}`);
    await log.post(1, 'shared plumbago "quoted"');
    await secret.post(2, `shared ${mine.join(' ')}`);
    const limits = { topics: 4, events: 4, bytes: 1024 };
    finish(open(limits));
    expect(words()).toEqual(expect.arrayContaining(['plumbago', 'shared', ...mine]));

    await secret.erase(3);
    const opened = open(limits);
    opened.indexSome();
    opened.indexSome();
    finish(open(limits));
    expect(words()).toEqual(['plumbago', 'quoted', 'shared']);
    expect(count('shar*')).toBe(1);
    await log.post(4, 'word3 again');
    finish(open(limits));
    expect(words()).toContain('word3');
  });

  it('holds no snapshot of the database, whose log can so be folded in', async () => {
    await log.post(10, 'alpha', 'beta');
    const opened = open({ topics: 1, events: 1, bytes: 1 });
    opened.indexSome();
    expect(count('alpha')).toBe(1);
    const db = openSqlite(databasePath());
    try {
      expect(db.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    } finally {
      db.close();
    }
  });

  it('keeps the order of more messages in a millisecond than it has numbers for', async () => {
    const posted = await log.post(10, ...Array.from({ length: 2_500 }, () => 'alpha'));
    await log.post(11, 'alpha');
    finish(open());
    const found = index?.search({ text: 'alpha', limit: 3_000 }).map(({ seq }) => seq);
    expect(found?.slice(1)).toEqual(posted.map(({ seq }) => seq).reverse());
  });
});

function setVersion(file: string): void {
  const db = openSqlite(file);
  db.pragma('user_version = 99');
  db.close();
}
