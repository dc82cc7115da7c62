import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoaError } from '@stoa/protocol';
import { openSqliteStore, type SqliteStore } from '@stoa/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeBackup } from './backup.js';

/** What the disk does before it does what it is asked. */
const disk: { before: (call: string, path: string) => void } = { before: () => undefined };

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const disturbed =
    <A extends unknown[], R>(call: string, run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      disk.before(call, String(args[0]));
      return run(...args);
    };
  return {
    ...real,
    link: disturbed('link', real.link),
    copyFile: disturbed('copyFile', real.copyFile),
    readdir: disturbed('readdir', real.readdir as (path: string) => Promise<unknown>),
    mkdir: disturbed('mkdir', real.mkdir),
  };
});

describe('a backup', () => {
  let home: string;
  let store: SqliteStore;
  let target: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'stoa-backup-'));
    target = join(home, 'elsewhere', 'copy');
    store = openSqliteStore(join(home, 'stoa.db'), { durability: 'relaxed' });
    mkdirSync(join(home, 'assets', 'ab'), { recursive: true });
    for (const name of ['first', 'second']) writeFileSync(join(home, 'assets', 'ab', name), name);
  });
  afterEach(async () => {
    disk.before = () => undefined;
    await store.close();
    rmSync(home, { recursive: true });
  });

  const failing = (code: string, when: (call: string, path: string) => boolean): void => {
    disk.before = (call, path) => {
      if (when(call, path)) throw Object.assign(new Error(code), { code });
    };
  };
  const outcome = (): Promise<StoaError> =>
    writeBackup(home, store, target).then(
      () => {
        throw new Error('it was written');
      },
      (error: unknown) => error as StoaError,
    );

  it('continues if an asset is removed after it was listed', async () => {
    disk.before = (call, path) => {
      if (call === 'link' && path.endsWith('second')) rmSync(path);
    };
    await writeBackup(home, store, target);
    expect(readdirSync(join(target, 'assets', 'ab'))).toEqual(['first']);
  });

  it('needs no assets', async () => {
    rmSync(join(home, 'assets'), { recursive: true });
    await writeBackup(home, store, target);
    expect(readdirSync(target)).toEqual(['stoa.db']);
  });

  it.each(['EMFILE', 'EIO', 'EACCES'])(
    'is not complete when listing assets fails with %s',
    async (code) => {
      failing(code, (call, path) => call === 'readdir' && path === join(home, 'assets'));
      expect(await outcome()).toMatchObject({ code: 'storage_unavailable' });
      expect(readdirSync(join(home, 'elsewhere'))).toEqual([]);
    },
  );

  it('is written to a path with a trailing slash, with nothing else in it', async () => {
    const made = await writeBackup(home, store, `${target}/`);
    expect(made.path).toBe(target);
    expect(readdirSync(target).sort()).toEqual(['assets', 'stoa.db']);
    expect(readdirSync(join(home, 'elsewhere'))).toEqual(['copy']);
  });

  it.each([
    ['EACCES', 'storage_unavailable', (call: string) => call === 'mkdir'],
    ['ENOSPC', 'storage_full', (call: string) => call === 'link' || call === 'copyFile'],
  ])('that fails with %s names its own directory', async (code, expected, when) => {
    failing(code, when);
    const error = await outcome();
    expect(error.code).toBe(expected);
    expect(error.message).toContain(`backup ${target}`);
    expect(error.message).not.toContain('data directory');
  });

  it('names its own directory if the store finds that disk full', async () => {
    const full = new StoaError('storage_full', 'The disk of the data directory is full');
    Object.assign(store, { backupTo: () => Promise.reject(full) });
    expect((await outcome()).message).toBe(`The disk of the backup ${target} is full`);
  });
});
