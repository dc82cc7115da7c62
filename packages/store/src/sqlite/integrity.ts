import { Worker } from 'node:worker_threads';
import { StoaError } from '@stoa/protocol';
import type { SqliteDatabase } from './binding/database.js';
import { openSqlite } from './binding/open.js';

export function sqliteProblems(db: SqliteDatabase): string[] {
  const rows = db.pragma('integrity_check') as { integrity_check: string }[];
  return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
}

export interface CheckData {
  readonly checkPath: string;
}

export function parseCheckData(value: unknown): CheckData | undefined {
  if (typeof value !== 'object' || value === null || !('checkPath' in value)) return undefined;
  return typeof value.checkPath === 'string' ? { checkPath: value.checkPath } : undefined;
}

/** Runs in the thread. Sees the state that was committed when it began; others write meanwhile. */
export function checkFile({ checkPath }: CheckData): string[] {
  // Not read-only: SQLite would then not check the constraints of tables.
  const db = openSqlite(checkPath, { fileMustExist: true });
  try {
    db.pragma('query_only = ON');
    return sqliteProblems(db);
  } finally {
    db.close();
  }
}

/** A check reads the whole file, so it runs in a separate thread; the signal ends it. */
export function checkInThread(
  entry: URL,
  checkPath: string,
  signal: AbortSignal,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const workerData: CheckData = { checkPath };
    const worker = new Worker(entry, { workerData, name: 'stoa-check' });
    const end = (): void => void worker.terminate();
    signal.addEventListener('abort', end, { once: true });
    worker.on('message', resolve);
    worker.on('error', (error) => {
      reject(new StoaError('storage_unavailable', 'The check failed', [], { cause: error }));
    });
    worker.on('exit', () => {
      signal.removeEventListener('abort', end);
      reject(new StoaError('shutting_down', 'The check was ended'));
    });
  });
}
