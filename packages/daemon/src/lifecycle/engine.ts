import { join } from 'node:path';
import {
  openPostgresSearchIndex,
  openPostgresStore,
  openSqliteStore,
  type SearchIndex,
  type Store,
  ThreadedSearchIndex,
} from '@stoa/store';
import type { Config } from '../config/schema.js';

export interface Engine {
  readonly store: Store;
  readonly search: SearchIndex;
}

export interface EngineOptions {
  readonly home: string;
  readonly config: Config;
  /** The bundled entry of the search thread. */
  readonly searchThread: URL;
  /** For the log; search recovers automatically. */
  readonly onSearchFailure: (error: unknown) => void;
}

/** Opens the configured store, and the search index beside it. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { store: chosen, durability } = options.config;
  const onFailure = options.onSearchFailure;
  if (chosen.engine === 'postgres') {
    const store = await openPostgresStore({ url: chosen.url, durability });
    try {
      return { store, search: await openPostgresSearchIndex(store, onFailure) };
    } catch (error) {
      await store.close();
      throw error;
    }
  }
  const databasePath = join(options.home, 'stoa.db');
  const searchPath = join(options.home, 'search.db');
  const entry = options.searchThread;
  const store = openSqliteStore(databasePath, { durability, checkThread: entry });
  return { store, search: new ThreadedSearchIndex({ entry, databasePath, searchPath, onFailure }) };
}
