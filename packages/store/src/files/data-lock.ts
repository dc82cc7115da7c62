import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoaError } from '@stoa/protocol';
import { sqliteCodeOf } from '../sqlite/binding/code.js';
import type { SqliteDatabase } from '../sqlite/binding/database.js';
import { openSqlite } from '../sqlite/binding/open.js';

/** What the holder of a data directory writes about itself. The CLI finds the daemon by it. */
interface HolderNote {
  readonly pid: number;
  readonly startedAt: number;
  readonly version: string;
  /** The boot of the system and the start of the process in it: process ids are reused. */
  readonly bootId?: string;
  readonly processStart?: string;
  readonly url?: string;
}

const NOTE_FILE = 'daemon.json';

/**
 * Lets one daemon use a data directory. The lock belongs to the operating system and is taken through SQLite on a
 * separate file, so it ends with the process in every case. The note beside it only informs.
 */
export class DataLock {
  private constructor(
    private readonly home: string,
    private readonly db: SqliteDatabase,
    /** The note of a holder that did not end cleanly. */
    readonly stale: HolderNote | undefined,
  ) {}

  static take(home: string): DataLock {
    let db: SqliteDatabase | undefined;
    try {
      db = openSqlite(join(home, 'lock.db'), { timeout: 0 });
      db.pragma('locking_mode = EXCLUSIVE');
      db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      db?.close();
      throw locked(home, error);
    }
    return new DataLock(home, db, readHolderNote(home));
  }

  announce(note: HolderNote): void {
    writeFileSync(join(this.home, NOTE_FILE), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  }

  release(): void {
    rmSync(join(this.home, NOTE_FILE), { force: true });
    this.db.close();
  }
}

function readHolderNote(home: string): HolderNote | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(join(home, NOTE_FILE), 'utf8'));
    return typeof note === 'object' && note !== null && 'pid' in note
      ? (note as HolderNote)
      : undefined;
  } catch {
    return undefined;
  }
}

function locked(home: string, cause: unknown): unknown {
  if (cause instanceof StoaError) return cause;
  if (!sqliteCodeOf(cause)?.startsWith('SQLITE_BUSY')) {
    return new StoaError(
      'data_directory_unusable',
      `${home} cannot be locked: ${String(cause)}`,
      [],
      { cause },
    );
  }
  const holder = readHolderNote(home);
  const who = holder
    ? `the daemon with pid ${String(holder.pid)}`
    : 'another daemon that is just starting';
  return new StoaError(
    'data_directory_locked',
    `${home} is held by ${who}. Stop it, or set STOA_HOME to another directory.`,
    [],
    { cause },
  );
}
