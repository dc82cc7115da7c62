import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@stoa/store';
import { type Caller, call, callerOf, startDaemon, withDatabaseFile } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerOf, stoa } from './stoa-command.js';

/** Overwrites a part of the database with bytes that SQLite never writes there. */
function overwrite(home: string, from: number, length: number): void {
  const file = openSync(join(home, 'stoa.db'), 'r+');
  try {
    writeSync(file, Buffer.alloc(length, 0xff), 0, length, from);
  } finally {
    closeSync(file);
  }
}

/** Where the first page of a table begins in the file, and how long it is. */
const pageOf = (home: string, table: string): [from: number, length: number] =>
  withDatabaseFile(home, (db) => {
    const size = db.pragma('page_size', { simple: true }) as number;
    const found = db
      .prepare<[string], { rootpage: number }>(
        'SELECT "rootpage" FROM "sqlite_master" WHERE "name" = ?',
      )
      .get(table);
    return [((found?.rootpage ?? 0) - 1) * size, size];
  });

describe('a database that is damaged', () => {
  let home: string;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'stoa-damaged-'));
    const daemon = await startDaemon({ home });
    const owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'room', title: 'Room' });
    await owner.post('/v1/channels/room/messages', { text: 'hello' });
    expect(await daemon.stop()).toBe(0);
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  const answers = async (owner: Caller) => {
    const { status, json } = await owner.get('/v1/channels/room/messages');
    return [status, json['code'], json['detail']];
  };

  it('OP-4 in a table gives storage_unavailable, as a lock does, and commands end with 1', async () => {
    overwrite(home, ...pageOf(home, 'messages'));
    const daemon = await startDaemon({ home, checkAtEnd: false });
    try {
      const owner = callerOf(daemon.url, daemon.token);
      expect(await answers(owner)).toEqual([
        503,
        'storage_unavailable',
        expect.stringContaining('SQLITE_CORRUPT'),
      ]);
      const post = await owner.post('/v1/channels/room/messages', { text: 'more' });
      expect([post.status, post.json['code']]).toEqual([503, 'storage_unavailable']);
      const history = await ownerOf(daemon)(['history', 'room']);
      expect(history).toMatchObject({ code: 1, out: '' });
      expect(history.err).toContain('(storage_unavailable)');
      const doctor = await ownerOf(daemon)(['doctor', '--deep']);
      expect(doctor.code).toBe(1);
      expect(doctor.out).toMatch(/^PROBLEM +store +/m);
      const other = openSqlite(join(home, 'stoa.db'));
      other.exec('BEGIN IMMEDIATE');
      const channel = { channelId: 'other', title: 'Other' };
      const locked = await owner.post('/v1/channels', channel);
      expect([locked.status, locked.json['code'], locked.json['detail']]).toEqual([
        503,
        'storage_unavailable',
        expect.stringContaining('SQLITE_BUSY'),
      ]);
      other.exec('ROLLBACK');
      other.close();
      // What does not need that table goes on.
      expect((await owner.post('/v1/channels', channel)).status).toBe(201);
      expect((await owner.get('/v1/channels/other/members')).status).toBe(200);
      expect((await call(daemon.url, 'GET', '/healthz')).status).toBe(200);
      expect(await daemon.stop()).toBe(0);
    } finally {
      await daemon.kill();
    }
  });

  it('OP-4 in its schema refuses the start with 1 and names what to do', async () => {
    overwrite(home, 100, 400);
    const { code, err } = await stoa(['serve'], { env: { STOA_HOME: home, STOA_PORT: '0' } });
    expect(code).toBe(1);
    expect(err).toMatch(/stoa\.db is damaged, or no database \(SQLITE_\w+\).*stoa backup/);
    expect(err).toContain('(storage_unavailable)');
  });
});
