import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../sqlite/sqlite-store.js';
import { DataLock } from './data-lock.js';

const failing = (code: string) => expect.objectContaining({ code }) as Error;

describe('a data directory', () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'stoa-lock-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  it('is held by one at a time', () => {
    const lock = DataLock.take(home);
    expect(() => DataLock.take(home)).toThrow(failing('data_directory_locked'));
    lock.release();
    DataLock.take(home).release();
  });

  it('that does not exist, or whose lock is not a file, is unusable', () => {
    const unusable = failing('data_directory_unusable');
    expect(() => DataLock.take(join(home, 'nowhere'))).toThrow(unusable);
    mkdirSync(join(home, 'lock.db'));
    expect(() => DataLock.take(home)).toThrow(unusable);
  });

  it('whose database cannot be opened says so with a code', () => {
    mkdirSync(join(home, 'stoa.db'));
    const open = (): unknown => openSqliteStore(join(home, 'stoa.db'), { durability: 'relaxed' });
    expect(open).toThrow(failing('storage_unavailable'));
  });
});
