import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSearchThread, ChannelLog, until } from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../sqlite/sqlite-store.js';
import { ThreadedSearchIndex } from './threaded-search-index.js';

const unavailable = { code: 'storage_unavailable' };

describe('the search thread', () => {
  let build: string;
  let entry: URL;
  let directory: string;
  let store: SqliteStore;
  let log: ChannelLog;
  let failures: unknown[];
  let index: ThreadedSearchIndex | undefined;

  beforeAll(async () => {
    build = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-search-'));
    entry = await buildSearchThread(build);
  });
  afterAll(() => {
    fs.rmSync(build, { recursive: true });
  });
  beforeEach(async () => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-search-'));
    store = openSqliteStore(databasePath(), { durability: 'relaxed' });
    log = await ChannelLog.create(store, 'ops');
    failures = [];
  });
  afterEach(async () => {
    await index?.close();
    await store.close();
    fs.rmSync(directory, { recursive: true });
  });

  const databasePath = (): string => path.join(directory, 'stoa.db');
  const searchPath = (): string => path.join(directory, 'search.db');

  function open(file = entry): ThreadedSearchIndex {
    index = new ThreadedSearchIndex({
      entry: file,
      databasePath: databasePath(),
      searchPath: searchPath(),
      onFailure: (error) => failures.push(error),
    });
    return index;
  }

  /** A thread that goes wrong in its own way the first time, and is the real one the second. */
  function openAfter(firstTime: string): ThreadedSearchIndex {
    const file = path.join(directory, 'thread.mjs');
    fs.writeFileSync(
      file,
      `import fs from 'node:fs';
       import { parentPort } from 'node:worker_threads';
       const mark = ${JSON.stringify(path.join(directory, 'mark'))};
       if (fs.existsSync(mark)) await import(${JSON.stringify(entry.href)});
       else { fs.writeFileSync(mark, ''); ${firstTime} }`,
    );
    return open(pathToFileURL(file));
  }

  const found = (opened: ThreadedSearchIndex): Promise<number> =>
    until('search answers again', async () => {
      try {
        return { count: (await opened.search({ text: 'alpha', limit: 10 })).length };
      } catch (error) {
        expect(error).toMatchObject(unavailable);
        return undefined;
      }
    }).then(({ count }) => count);

  it('starts automatically after a delay, without a query', async () => {
    await log.post(10, 'alpha');
    open();
    expect(fs.existsSync(searchPath())).toBe(false);
    await until('there is an index', () =>
      Promise.resolve(fs.existsSync(searchPath()) || undefined),
    );
  });

  it('refuses pending requests when it dies, and starts again', async () => {
    await log.post(10, 'alpha');
    const opened = openAfter(`parentPort.on('message', () => process.exit(3));`);
    await expect(opened.search({ text: 'alpha', limit: 10 })).rejects.toMatchObject(unavailable);
    expect(await found(opened)).toBe(1);
    await opened.settled();
    expect(failures.map(String)).toEqual(['Error: The search thread ended with code 3']);
  });

  it('reports why it died', async () => {
    await log.post(10, 'alpha');
    const opened = openAfter(`throw new Error('a broken thread');`);
    await expect(opened.settled()).rejects.toMatchObject(unavailable);
    expect(await found(opened)).toBe(1);
    expect(failures.map(String)).toEqual(['Error: a broken thread']);
  });

  it('starts with increasing delays while it fails', async () => {
    const file = path.join(directory, 'thread.mjs');
    const marks = path.join(directory, 'marks');
    fs.writeFileSync(
      file,
      `import fs from 'node:fs';
       fs.appendFileSync(${JSON.stringify(marks)}, Date.now() + '\\n');
       throw new Error('always');`,
    );
    const opened = open(pathToFileURL(file));
    const starts = await until('it has started five times', () => {
      const times = fs.existsSync(marks) ? fs.readFileSync(marks, 'utf8').trim().split('\n') : [];
      return times.length >= 5 && times.map(Number);
    });
    const pauses = starts.slice(1).map((time, i) => time - (starts[i] ?? 0));
    for (const [i, least] of [100, 200, 400, 800].entries()) {
      expect(pauses[i]).toBeGreaterThanOrEqual(least - 5);
    }
    await expect(opened.search({ text: 'alpha', limit: 1 })).rejects.toMatchObject(unavailable);
  });

  it('ignores messages that are not answers', async () => {
    const opened = openAfter(`parentPort.on('message', ({ kind, id }) => {
      if (kind === 'close') return parentPort.close();
      for (const odd of [null, 7, { kind: 'found', id: 99, matches: [] }, { kind: 'found', id, matches: 'x' }])
        parentPort.postMessage(odd);
      parentPort.postMessage({ kind: 'found', id, matches: [{ topicId: 1, seq: 2 }] });
    });`);
    expect(await opened.search({ text: 'x', limit: 1 })).toEqual([{ topicId: 1, seq: 2 }]);
    expect(failures).toHaveLength(4);
  });

  it('builds its file again if it is damaged while in use', async () => {
    await log.post(10, ...Array.from({ length: 2_000 }, (_, i) => `alpha n${String(i)}`));
    let opened = open();
    await opened.settled();
    await opened.close();
    const bytes = fs.readFileSync(searchPath());
    bytes.fill(0x5a, 4096 * 2);
    fs.writeFileSync(searchPath(), bytes);
    opened = open();
    await until('everything is found again', async () => {
      const answer = opened.search({ text: 'alpha', limit: 5_000 });
      return (await answer.catch(() => [])).length === 2_000;
    });
    await opened.settled();
    expect(String(failures[0])).toMatch(/malformed|not a database/);
  });

  it('answers while it indexes, and finds earlier posts immediately', async () => {
    for (let at = 10; at < 20; at++) {
      await log.post(at, ...Array.from({ length: 500 }, () => 'filling words '.repeat(10)));
    }
    const opened = open();
    const progress = { isSettled: false, answers: 0 };
    const settled = opened.settled().then(() => {
      progress.isSettled = true;
    });
    const isIndexing = (): boolean => !progress.isSettled;
    for (let at = 100; isIndexing(); at++) {
      const [message] = await log.post(at, `fresh${String(at)}`);
      opened.hint(log.topicId);
      const matches = await opened.search({ text: `fresh${String(at)}`, limit: 1 });
      expect(matches).toEqual([{ topicId: log.topicId, seq: message?.seq }]);
      if (isIndexing()) progress.answers += 1;
    }
    await settled;
    // How many depends on the machine; a thread that indexed everything first would give none.
    expect(progress.answers).toBeGreaterThan(0);
    expect(await opened.search({ text: 'filling', limit: 20_000 })).toHaveLength(5_000);
  });

  it('finds hinted posts immediately, although hints are sent in batches', async () => {
    const opened = open();
    await opened.settled();
    for (let at = 10; at < 15; at++) {
      const [message] = await log.post(at, 'alpha');
      opened.hint(log.topicId);
      const [newest] = await opened.search({ text: 'alpha', limit: 1 });
      expect(newest?.seq).toBe(message?.seq);
      await opened.settled();
    }
  });

  it('refuses when it is closed, and leaves nothing running', async () => {
    const opened = open();
    const pending = opened.search({ text: 'x', limit: 1 });
    const closed = Promise.all([opened.close(), opened.close()]);
    await expect(pending).rejects.toMatchObject({ code: 'shutting_down' });
    await closed;
    await expect(opened.search({ text: 'x', limit: 1 })).rejects.toMatchObject({
      code: 'shutting_down',
    });
    await expect(opened.settled()).rejects.toMatchObject({ code: 'shutting_down' });
    expect(fs.readdirSync(directory)).not.toContain('search.db-wal');
    expect(failures).toEqual([]);
  });
});
