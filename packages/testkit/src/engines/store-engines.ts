import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineKind } from '@stoa/protocol';
import { type Migration, openPostgresStore, openSqliteStore, type Store } from '@stoa/store';
import { type FreshDatabase, freshDatabase } from '../postgres/fresh-database.js';
import { memoryDirectory } from './memory-directory.js';
import { migratedDatabase } from './migrated-database.js';

export interface TestDatabaseOptions {
  readonly migrations?: readonly Migration[];
}

/** The data of one store. It outlives the stores that are opened on it. */
export interface TestDatabase {
  open(options?: TestDatabaseOptions): Promise<Store>;
  /** To be called when every store on it is closed. */
  discard(): Promise<void>;
}

export interface StoreEngine {
  readonly name: EngineKind;
  newDatabase(): Promise<TestDatabase>;
}

const sqlite: StoreEngine = {
  name: 'sqlite',
  async newDatabase() {
    const directory = await mkdtemp(join(memoryDirectory() ?? tmpdir(), 'stoa-store-'));
    const path = join(directory, 'stoa.db');
    return {
      // eslint-disable-next-line @typescript-eslint/require-await -- opening a store is asynchronous; this engine opens at once
      open: async (options) => openSqliteStore(path, { durability: 'full', ...options }),
      discard: () => rm(directory, { recursive: true, force: true }),
    };
  },
};

const postgres: StoreEngine = {
  name: 'postgres',
  newDatabase() {
    let database: Promise<FreshDatabase> | undefined;
    return Promise.resolve({
      async open(options) {
        database ??= options?.migrations ? freshDatabase() : migratedDatabase();
        const { url } = await database;
        return openPostgresStore({ url, durability: 'full', ...options });
      },
      discard: async () => (await database)?.drop(),
    });
  },
};

/** Behaviour that must be the same on all engines is tested on each. */
export const STORE_ENGINES: readonly StoreEngine[] = [sqlite, postgres];
