import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backup, Channel, Message } from '@stoa/protocol';
import {
  type Caller,
  call,
  callerOf,
  DAEMON_ENGINES,
  newPerson,
  startDaemon,
  type TestDaemon,
  type TestDirectory,
  until,
  withDatabaseFile,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json as jsonOf, ownerOf } from './stoa-command.js';

/**
 * What only PostgreSQL has. A SQLite file has the version of its schema in its header; a search index is made again
 * from the messages.
 */
const NOT_COPIED: ReadonlySet<string> = new Set([
  ...['schemaVersions', 'searchVersion', 'searchDocuments', 'searchWatermarks'],
]);

describe.each(DAEMON_ENGINES)('a backup on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;
  let target: string;
  const channels = ['left', 'right'];

  beforeAll(async () => {
    directory = await engine.newDirectory();
    target = mkdtempSync(join(tmpdir(), 'stoa-backup-'));
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    for (const channelId of channels)
      await owner.post('/v1/channels', { channelId, title: channelId });
    const text = 'x'.repeat(20_000);
    await Promise.all(
      Array.from({ length: 60 }, () => owner.post('/v1/channels/left/messages', { text })),
    );
  });
  afterAll(async () => {
    await directory.discard();
    rmSync(target, { recursive: true, force: true });
  });

  const backup = (target?: string) =>
    owner.post<Backup>('/v1/backups', target === undefined ? {} : { directory: target });

  /**
   * Posts to one channel after the other, every third time with a new asset, until it is stopped; returns what was
   * acknowledged.
   */
  function posting() {
    let stopped = false;
    const acknowledged: { channelId: string; seq: number; messageId: string }[] = [];
    const poster = async (_: unknown, which: number): Promise<void> => {
      for (let i = 0; !stopped; i++) {
        const channelId = channels[i % 2] as string;
        const data = Buffer.from(`file ${String(which)}-${String(i)}`).toString('base64');
        const files = i % 3 === 0 ? [{ type: 'inline_asset', data, name: 'a.txt' }] : [];
        const { json } = await owner.post<Message>(`/v1/channels/${channelId}/messages`, {
          inputItems: [{ type: 'text', text: 'while copying' }, ...files],
        });
        acknowledged.push({ channelId, seq: json.seq, messageId: json.messageId });
      }
    };
    const running = Promise.all(Array.from({ length: 3 }, poster));
    return {
      acknowledged,
      async stop() {
        stopped = true;
        await running;
      },
    };
  }

  it('F-16 OP-5 made with stoa backup while others post passes the deep check and is what was there at one moment', async () => {
    const asset = await owner.post<{ assetId: string }>('/v1/assets', undefined, {
      raw: 'kept in the copy',
    });
    const attached = await owner.post<Message>('/v1/channels/left/messages', {
      inputItems: [{ type: 'asset_reference', assetId: asset.json.assetId }],
    });
    const path = join(target, 'while-posting');
    const posts = posting();
    await until('they are posting', () => posts.acknowledged.length > 5);
    const before = [...posts.acknowledged];
    const made = await jsonOf<Backup>(ownerOf(daemon)(['backup', path, '--json']));
    const during = posts.acknowledged.length - before.length;
    await posts.stop();

    expect(made.path).toBe(path);
    expect(made.bytes).toBeGreaterThan(60 * 20_000);
    expect(during).toBeGreaterThan(0);
    expect(readdirSync(target)).toEqual(['while-posting']);
    expect(readdirSync(path).sort()).toEqual(['assets', 'stoa.db']);

    const { copied, assets } = withDatabaseFile(path, (db) => {
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      const seqs = db.prepare<[string], { seq: number }>(
        `SELECT "seq" FROM "events" WHERE "topicId" = (SELECT "id" FROM "topics" WHERE "name" = ?) ORDER BY "seq"`,
      );
      return {
        copied: channels.map((channelId) => seqs.all(`channel:${channelId}`).map(({ seq }) => seq)),
        assets: db.prepare<[], { assetId: string }>('SELECT "assetId" FROM "assets"').all(),
      };
    });
    expect(assets.length).toBeGreaterThan(3);
    channels.forEach((channelId, i) => {
      const seqs = copied[i] as number[];
      expect(seqs).toEqual(seqs.map((_, at) => at + 1));
      const last = Math.max(
        ...before.filter((post) => post.channelId === channelId).map(({ seq }) => seq),
      );
      expect(seqs.length).toBeGreaterThanOrEqual(last);
    });

    const copy = await startDaemon({ home: path });
    try {
      const there = callerOf(copy.url, copy.token);
      const doctor = await jsonOf<{ ok: boolean; findings: { check: string; detail: string }[] }>(
        ownerOf(copy)(['doctor', '--deep', '--json']),
      );
      expect(doctor.ok).toBe(true);
      const deep = doctor.findings.find(({ check }) => check === 'store');
      expect(deep?.detail).toContain('every projection matches its log');
      const sizes = await Promise.all(
        channels.map(
          async (channelId) => (await there.get<Channel>(`/v1/channels/${channelId}`)).json.headSeq,
        ),
      );
      expect(sizes).toEqual(copied.map((seqs) => seqs.length));
      for (const { assetId } of assets) {
        const file = await there.get(`/v1/assets/${assetId}/raw`);
        expect([assetId, file.status]).toEqual([assetId, 200]);
      }
      expect((await there.get(`/v1/assets/${asset.json.assetId}/raw`)).text).toBe(
        'kept in the copy',
      );
      const message = await there.get<Message>(
        `/v1/channels/left/messages/${attached.json.messageId}`,
      );
      expect(message.json).toEqual(
        (await owner.get(`/v1/channels/left/messages/${attached.json.messageId}`)).json,
      );
      expect(
        (await there.post('/v1/channels/left/messages', { text: 'life goes on' })).status,
      ).toBe(201);
    } finally {
      await copy.stop();
    }
  });

  /** What the database itself lists, so that a table that is added later is compared too. */
  async function liveTables(): Promise<string[]> {
    const rows = await directory.query(
      engine.name === 'postgres'
        ? `SELECT "tablename" AS "name" FROM pg_tables WHERE "schemaname" = current_schema()`
        : `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE 'sqlite_%'`,
    );
    return rows.map(({ name }) => String(name)).filter((name) => !NOT_COPIED.has(name));
  }

  /** A row that no query of the daemon asks for: it has no known state and is due in centuries. */
  async function insertInto(table: string): Promise<void> {
    const columns = await directory.query(
      engine.name === 'postgres'
        ? `SELECT "column_name" AS "name", "data_type" AS "type" FROM information_schema.columns
           WHERE "table_schema" = current_schema() AND "table_name" = '${table}'`
        : `SELECT "name", "type" FROM pragma_table_info('${table}')`,
    );
    const names = columns.map(({ name }) => `"${String(name)}"`).join(', ');
    const values = columns.map(({ type }) =>
      /text/i.test(String(type)) ? `'none'` : '9000000000000',
    );
    await directory.query(`INSERT INTO "${table}" (${names}) VALUES (${values.join(', ')})`);
  }

  it('OP-16 made with stoa backup holds all rows of every table', async () => {
    const count = (table: string): string => `SELECT count(*) AS "rows" FROM "${table}"`;
    const rowsIn = async (table: string): Promise<number> =>
      Number((await directory.query(count(table)))[0]?.['rows']);
    const tables = await liveTables();
    expect(tables.length).toBeGreaterThan(45);
    const filled: string[] = [];
    for (const table of tables) {
      if ((await rowsIn(table)) > 0) continue;
      filled.push(table);
      await insertInto(table);
    }
    const path = join(target, 'every-table');
    const live = new Map<string, number>();
    for (const table of tables) live.set(table, await rowsIn(table));
    const made = await ownerOf(daemon)(['backup', path]);
    for (const table of filled) await directory.query(`DELETE FROM "${table}"`);
    expect(made).toMatchObject({ code: 0, out: `${path}\n` });
    expect(Math.min(...live.values())).toBeGreaterThan(0);
    const copied = withDatabaseFile(path, (db) =>
      tables.map((table): [string, number] => [
        table,
        db.prepare<[], { rows: number }>(count(table)).get()?.rows ?? 0,
      ]),
    );
    expect(new Map(copied)).toEqual(live);
  });

  it('F-16 gives nobody access who only has the copy: the token of the owner stays behind', async () => {
    const ada = await newPerson(daemon, 'ada');
    const path = join(target, 'other-hands');
    await backup(path);
    expect(existsSync(join(path, 'token'))).toBe(false);
    const copy = await startDaemon({ home: path });
    try {
      expect(copy.token).not.toBe(daemon.token);
      expect((await call(copy.url, 'GET', '/v1/whoami', { token: daemon.token })).status).toBe(401);
      expect((await call(copy.url, 'GET', '/v1/whoami', { token: ada.token })).status).toBe(200);
    } finally {
      await copy.stop();
    }
  });

  it('F-16 goes into the data directory when no other is named, and never over anything', async () => {
    const made = await backup();
    expect(made.status).toBe(201);
    expect(made.json.path.startsWith(join(directory.home, 'backups'))).toBe(true);

    const taken = join(target, 'taken');
    mkdirSync(taken);
    writeFileSync(join(taken, 'precious'), 'kept');
    const refused = await backup(taken);
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ code: 'invalid_request' });
    expect(readdirSync(taken)).toEqual(['precious']);
    expect((await backup('relative/path')).json).toMatchObject({ code: 'invalid_request' });
  });

  it('F-16 that cannot be written leaves nothing half-done and says so', async () => {
    const file = join(target, 'a-file');
    writeFileSync(file, '');
    const { status, json } = await backup(join(file, 'below'));
    expect(status).toBe(503);
    expect(json).toMatchObject({ code: 'storage_unavailable' });
    expect(readdirSync(target).filter((name) => name.includes('partial'))).toEqual([]);
    expect((await owner.get('/v1/status')).status).toBe(200);
  });
});
