import { join } from 'node:path';
import { openSqliteStore, type SearchIndex, type Store, ThreadedSearchIndex } from '@stoa/store';
import { StoaError } from '@stoa/protocol';
import type { Config } from '../config/schema.js';

export interface Engine {
  readonly store: Store;
  readonly search: SearchIndex;
}

/** Opens the store that the configuration names, and the search index beside it. */
export async function openEngine(home: string, { store: chosen, durability }: Config, searchThread: URL): Promise<Engine> {
  if (chosen.engine === 'postgres') throw new StoaError('config_invalid', 'wait');
  const databasePath = join(home, 'stoa.db');
  const store = openSqliteStore(databasePath, { durability });
  const search = new ThreadedSearchIndex({ entry: searchThread, databasePath, searchPath: join(home, 'search.db') });
  return { store, search };
}
