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

/** Opens the store that the configuration names, and the search index beside it. */
export async function openEngine(
  home: string,
  { store: chosen, durability }: Config,
  searchThread: URL,
): Promise<Engine> {
  if (chosen.engine === 'postgres') return openOnPostgres(chosen.url, durability);
  const databasePath = join(home, 'stoa.db');
  const store = openSqliteStore(databasePath, { durability });
  const searchPath = join(home, 'search.db');
  return {
    store,
    search: new ThreadedSearchIndex({ entry: searchThread, databasePath, searchPath }),
  };
}

async function openOnPostgres(url: string, durability: Config['durability']): Promise<Engine> {
  const store = await openPostgresStore({ url, durability });
  try {
    return { store, search: await openPostgresSearchIndex(store) };
  } catch (error) {
    await store.close();
    throw error;
  }
}
