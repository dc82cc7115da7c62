import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openPostgresSearchIndex,
  openPostgresStore,
  openSqliteSearchIndex,
  openSqliteStore,
  type SearchIndex,
  type Store,
  ThreadedSearchIndex,
} from '@stoa/store';
import { migratedDatabase } from './migrated-database.js';
import { buildSearchThread } from './search-thread-file.js';

export interface TestedSearchIndex extends SearchIndex {
  /** Indexes a few events. Missing where an index does so in the background. */
  step?(): void;
}

/** A store and its index, which may be opened several times. */
export interface SearchDatabase {
  readonly store: Store;
  open(): Promise<TestedSearchIndex>;
  /** To be called when the index is closed. */
  discard(): Promise<void>;
}

export interface SearchEngine {
  readonly name: string;
  /** Whether it is cheap enough for many databases. */
  readonly isCheap: boolean;
  newDatabase(): Promise<SearchDatabase>;
}

type OpenSearch = (paths: { databasePath: string; searchPath: string }) => TestedSearchIndex;

async function sqliteDatabase(
  makeOpen: (directory: string) => Promise<OpenSearch>,
): Promise<SearchDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'stoa-search-'));
  const databasePath = join(directory, 'stoa.db');
  const searchPath = join(directory, 'search.db');
  const store = openSqliteStore(databasePath, { durability: 'relaxed' });
  const open = await makeOpen(directory);
  return {
    store,
    open: () => Promise.resolve(open({ databasePath, searchPath })),
    async discard() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Indexes in steps so small that it is rarely complete. */
const openInSteps: OpenSearch = ({ databasePath, searchPath }) => {
  const limits = { topics: 1, events: 3, bytes: 1_000 };
  const index = openSqliteSearchIndex(databasePath, searchPath, limits);
  let isOpen = true;
  return {
    search: (request) => Promise.resolve(index.search(request)),
    hint: (topicId) => {
      index.hint(topicId);
    },
    step: () => {
      index.indexSome();
    },
    settled() {
      index.refresh();
      while (index.indexSome());
      return Promise.resolve();
    },
    close() {
      if (isOpen) index.close();
      isOpen = false;
      return Promise.resolve();
    },
  };
};

const sqliteInSteps: SearchEngine = {
  name: 'SQLite, step by step',
  isCheap: true,
  newDatabase: () => sqliteDatabase(() => Promise.resolve(openInSteps)),
};

const sqliteInThread: SearchEngine = {
  name: 'SQLite in a thread',
  isCheap: false,
  newDatabase: () =>
    sqliteDatabase(async (directory) => {
      const entry = await buildSearchThread(directory);
      return (paths) => new ThreadedSearchIndex({ entry, ...paths });
    }),
};

/** A test does not cause errors in the background. */
const unexpected = (error: unknown): void => {
  throw error;
};

const postgres: SearchEngine = {
  name: 'PostgreSQL',
  isCheap: false,
  async newDatabase() {
    const database = await migratedDatabase();
    const store = await openPostgresStore({ url: database.url, durability: 'relaxed' });
    return {
      store,
      open: () => openPostgresSearchIndex(store, unexpected),
      async discard() {
        await store.close();
        await database.drop();
      },
    };
  },
};

export const SEARCH_ENGINES: readonly SearchEngine[] = [sqliteInSteps, sqliteInThread, postgres];
