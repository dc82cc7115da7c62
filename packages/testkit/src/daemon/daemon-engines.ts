import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineKind } from '@stoa/protocol';
import pg from 'pg';
import { memoryDirectory } from '../engines/memory-directory.js';
import { type FreshDatabase, freshDatabase } from '../postgres/fresh-database.js';
import { withDatabaseFile } from './database-file.js';
import { type StartOptions, startDaemon, type TestDaemon } from './start-daemon.js';

/** The data directory of a daemon, with its database. It outlives the daemons that are started on it. */
export interface TestDirectory {
  readonly home: string;
  /** The PostgreSQL database, if that is the engine. */
  readonly databaseUrl: string | undefined;
  start(options?: Omit<StartOptions, 'home'>): Promise<TestDaemon>;
  /** Restores a fixture of this engine; no daemon may have been started here before. */
  restore(fixture: string): Promise<void>;
  /** Runs one statement on the database directly, whether a daemon runs or not. */
  query(statement: string): Promise<Record<string, unknown>[]>;
  /** Checks and kills the daemons that still run, and removes everything. */
  discard(): Promise<void>;
}

export interface DaemonEngine {
  readonly name: EngineKind;
  newDirectory(): Promise<TestDirectory>;
}

async function newDirectory(engine: EngineKind): Promise<TestDirectory> {
  const home = mkdtempSync(join(memoryDirectory() ?? tmpdir(), 'stoa-test-'));
  const database: FreshDatabase | undefined =
    engine === 'postgres' ? await freshDatabase() : undefined;
  const started: TestDaemon[] = [];
  return {
    home,
    databaseUrl: database?.url,
    async start(options = {}) {
      const env = database ? { ...options.env, STOA_DATABASE_URL: database.url } : options.env;
      const daemon = await startDaemon({ ...options, home, ...(env ? { env } : {}) });
      started.push(daemon);
      return daemon;
    },
    async restore(fixture) {
      cpSync(join(fixture, 'assets'), join(home, 'assets'), { recursive: true });
      if (database) {
        await queryDatabase(database.url, readFileSync(join(fixture, 'stoa.sql'), 'utf8'));
      } else cpSync(join(fixture, 'stoa.db'), join(home, 'stoa.db'));
    },
    query: (statement) =>
      database ? queryDatabase(database.url, statement) : queryFile(home, statement),
    async discard() {
      try {
        for (const daemon of started) await daemon.checkAtEnd();
      } finally {
        for (const daemon of started) await daemon.kill();
        await database?.drop();
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}

// eslint-disable-next-line @typescript-eslint/require-await -- PostgreSQL answers asynchronously
async function queryFile(home: string, statement: string): Promise<Record<string, unknown>[]> {
  return withDatabaseFile(home, (db) => {
    // better-sqlite3 refuses to read rows from a statement that has none.
    const changes = /\b(?:INSERT|UPDATE|DELETE)\b/i.test(statement);
    if (/\bRETURNING\b/i.test(statement) || (!changes && /\bSELECT\b/i.test(statement))) {
      return db.prepare<[], Record<string, unknown>>(statement).all();
    }
    db.prepare(statement).run();
    return [];
  });
}

async function queryDatabase(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

const engine = (name: EngineKind): DaemonEngine => ({
  name,
  newDirectory: () => newDirectory(name),
});

/** Users must see the same behaviour on all engines. */
export const DAEMON_ENGINES: readonly DaemonEngine[] = [engine('sqlite'), engine('postgres')];
