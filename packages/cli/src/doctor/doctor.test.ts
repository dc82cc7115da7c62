import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Status } from '@stoa/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judgeAnswer } from './address.js';
import { checkDataDirectory, checkHolder, checkTokenFile } from './data-directory.js';
import { checkDatabase } from './database.js';
import { checkNode, checkSqlite, judgeSpace } from './machine.js';

const url = 'http://127.0.0.1:7117';

describe('the machine', () => {
  it('needs a Node that is new enough', () => {
    expect(checkNode('20.19.0').level).toBe('ok');
    expect(checkNode('24.0.0').level).toBe('ok');
    expect(checkNode('20.18.3')).toMatchObject({
      level: 'problem',
      fix: expect.stringContaining('20.19') as string,
    });
    expect(checkNode('18.20.0').level).toBe('problem');
  });

  it('F-34 names an SQLite that is too old, and what to do', () => {
    const found = checkSqlite({
      checkSqlite: () => ({ version: '3.45.1', library: 'better-sqlite3', ok: false }),
    });
    expect(found).toMatchObject({
      level: 'problem',
      detail: expect.stringContaining('3.45.1') as string,
      fix: expect.stringContaining('npm ci') as string,
    });
    const good = { version: '3.53.2', library: 'node:sqlite', ok: true };
    expect(checkSqlite({ checkSqlite: () => good })).toMatchObject({
      level: 'ok',
      detail: 'SQLite 3.53.2 (node:sqlite)',
    });
  });

  it('needs room on the disk', () => {
    expect(judgeSpace(10 * 1024 ** 3).level).toBe('ok');
    expect(judgeSpace(500 * 1024 ** 2).level).toBe('note');
    expect(judgeSpace(1024 ** 2)).toMatchObject({ level: 'problem', detail: '1.0 MiB free' });
  });
});

describe('the data directory', () => {
  let home: string;

  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-doctor-'));
  });

  afterEach(() => {
    fs.rmSync(home, { recursive: true });
  });

  it('is fine when it is ours, and need not exist yet', () => {
    expect(checkDataDirectory(home)).toMatchObject([{ level: 'ok' }]);
    expect(checkDataDirectory(path.join(home, 'a', 'b'))).toMatchObject([{ level: 'note' }]);
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it('F-34 cannot be a file', () => {
    const file = path.join(home, 'file');
    fs.writeFileSync(file, '');
    expect(checkDataDirectory(file)).toMatchObject([
      { level: 'problem', detail: `${file} is not a directory` },
    ]);
    expect(checkDataDirectory(path.join(file, 'below'))).toMatchObject([{ level: 'problem' }]);
  });

  it('cannot be below a link that leads to nothing', () => {
    const link = path.join(home, 'link');
    fs.symlinkSync(path.join(home, 'nowhere'), link);
    for (const below of [link, path.join(link, 'a', 'b')]) {
      expect(checkDataDirectory(below)).toMatchObject([
        { level: 'problem', detail: `${link} is a broken link` },
      ]);
    }
    fs.mkdirSync(path.join(home, 'nowhere'));
    expect(checkDataDirectory(path.join(link, 'a'))).toMatchObject([{ level: 'note' }]);
  });

  it('F-34 names a database that is damaged or cut off', () => {
    const file = path.join(home, 'stoa.db');
    const detail = (): string | undefined => checkDatabase(home)[0]?.detail;
    expect(checkDatabase(home)).toEqual([]);
    const header = Buffer.alloc(100);
    header.write('SQLite format 3\0', 'latin1');
    header.writeUInt16BE(4_096, 16);
    header.writeUInt32BE(2, 28);
    fs.writeFileSync(file, Buffer.concat([header, Buffer.alloc(8_092)]));
    expect(checkDatabase(home)).toMatchObject([{ level: 'ok' }]);
    fs.truncateSync(file, 5_000);
    expect(detail()).toBe(`${file} is truncated`);
    // The rest of it may still be in the log.
    fs.writeFileSync(`${file}-wal`, 'pages');
    expect(checkDatabase(home)).toMatchObject([{ level: 'ok' }]);
    fs.writeFileSync(file, 'not a database at all');
    expect(detail()).toBe(`${file} is damaged or not a database`);
    expect(checkDatabase(home)[0]?.fix).toContain('stoa backup');
  });

  it('F-34 must not be open to others', () => {
    fs.chmodSync(home, 0o777);
    expect(checkDataDirectory(home)).toMatchObject([
      { level: 'problem', fix: `chmod 700 ${home}` },
    ]);
  });

  it('F-34 must keep its token to itself', () => {
    const token = path.join(home, 'token');
    expect(checkTokenFile(home).level).toBe('note');
    fs.writeFileSync(token, 'secret', { mode: 0o600 });
    expect(checkTokenFile(home).level).toBe('ok');
    fs.chmodSync(token, 0o640);
    expect(checkTokenFile(home)).toMatchObject({ level: 'problem', fix: `chmod 600 ${token}` });
    fs.writeFileSync(token, '');
    fs.chmodSync(token, 0o600);
    expect(checkTokenFile(home)).toMatchObject({ level: 'problem', detail: `${token} is empty` });
  });

  it('tells a living holder from one that died', () => {
    const holder = (pid: number): void =>
      fs.writeFileSync(path.join(home, 'daemon.json'), JSON.stringify({ pid }));
    expect(checkHolder(home).detail).toContain('no daemon');
    holder(process.pid);
    expect(checkHolder(home)).toMatchObject({
      level: 'ok',
      detail: expect.stringContaining(String(process.pid)) as string,
    });
    // Above the highest pid of any system.
    holder(2 ** 30);
    expect(checkHolder(home)).toMatchObject({
      level: 'note',
      detail: expect.stringContaining('died') as string,
    });
  });
});

describe('the address', () => {
  const status: Status = {
    version: '1.0.0',
    startedAt: 0,
    engine: 'sqlite',
    engineVersion: '3.53.2',
    schemaVersion: 1,
    durability: 'full',
    warnings: [],
    channels: 0,
    streams: 0,
  };

  const levels = (...args: Parameters<typeof judgeAnswer>): string[] =>
    judgeAnswer(...args).map(({ check, level }) => `${check} ${level}`);

  it('is held by our own daemon, whose version and durability it tells', () => {
    expect(levels({ kind: 'daemon', status }, url, 1, '1.0.0')).toEqual([
      'port ok',
      'daemon ok',
      'durability ok',
    ]);
    const other: Status = { ...status, durability: 'relaxed', warnings: ['careful'] };
    expect(levels({ kind: 'daemon', status: other }, url, 1, '1.0.1')).toEqual([
      'port ok',
      'daemon note',
      'durability note',
      'daemon note',
    ]);
  });

  it('F-34 is a problem when somebody else holds it', () => {
    expect(levels({ kind: 'something else' }, url, undefined, '1.0.0')).toEqual(['port problem']);
    expect(levels({ kind: 'other daemon' }, url, undefined, '1.0.0')).toEqual(['port problem']);
    const [given] = judgeAnswer({ kind: 'other daemon' }, url, 1, '1.0.0', 'STOA_TOKEN');
    expect(given?.fix).toMatch(/^the token came from STOA_TOKEN: /);
  });

  it('is free without a daemon, and a problem when one runs that does not answer', () => {
    expect(levels({ kind: 'nobody' }, url, undefined, '1.0.0')).toEqual(['port ok', 'daemon note']);
    expect(levels({ kind: 'nobody' }, url, 42, '1.0.0')).toEqual(['daemon problem']);
  });

  it('has something to do for every problem', () => {
    const refused = { kind: 'refused', code: 'internal', detail: 'broken' } as const;
    for (const answer of [refused, { kind: 'something else' }, { kind: 'other daemon' }] as const) {
      for (const finding of judgeAnswer(answer, url, undefined, '1')) {
        expect(finding.fix).toMatch(/\w{4}/);
      }
    }
  });
});
