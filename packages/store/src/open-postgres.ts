import type { PostgresStore, PostgresStoreOptions } from './postgres/postgres-store.js';
import type { SearchIndex } from './search/search-index.js';
import type { Store } from './store.js';

/** Loads the driver only if it is used: a daemon on SQLite starts without it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const engine = await import('./postgres/postgres-store.js');
  return engine.openPostgresStore(options);
}

export async function openPostgresSearchIndex(
  store: Store,
  onFailure: (error: unknown) => void,
): Promise<SearchIndex> {
  const index = await import('./search/postgres-search-index.js');
  return index.openPostgresSearchIndex(store, { onFailure });
}
