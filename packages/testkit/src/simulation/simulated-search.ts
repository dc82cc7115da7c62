import {
  openSqlite,
  openSqliteImage,
  type SearchIndex,
  type SearchMatch,
  type SearchRequest,
  type SqliteDatabase,
  SqliteSearchIndex,
} from '@stoa/store';
import { type Call, onBehalf } from './call.js';

/** The real index in the same thread: it indexes when the scheduler says so, and may be far behind. */
export class SimulatedSearch implements SearchIndex {
  #index: SqliteSearchIndex | undefined;
  #own: SqliteDatabase | undefined;

  constructor(
    private readonly main: SqliteDatabase,
    /** Several daemons write to the main database, without hints about the writes of the others. */
    private readonly isShared: boolean,
    private readonly searched: (call: Call, word: string) => void,
  ) {}

  search(request: SearchRequest): Promise<SearchMatch[]> {
    const call = onBehalf.getStore();
    if (call && !('upkeep' in call)) this.searched(call, request.text);
    const index = this.#opened();
    if (this.isShared) index.refresh();
    return Promise.resolve(index.search(request));
  }

  hint(topicId: number): void {
    this.#index?.hint(topicId);
  }

  settled(): Promise<void> {
    while (this.indexSome());
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#own?.close();
    return Promise.resolve();
  }

  indexSome(): boolean {
    return this.#index?.indexSome() ?? false;
  }

  /** Most runs never search, and making the tables of an index takes its time. */
  #opened(): SqliteSearchIndex {
    if (this.#index) return this.#index;
    this.#own = openSqliteImage(emptyIndex(this.main));
    this.#index = new SqliteSearchIndex(this.main, this.#own);
    return this.#index;
  }
}

let image: Uint8Array | undefined;

function emptyIndex(main: SqliteDatabase): Uint8Array {
  if (image) return image;
  const own = openSqlite(':memory:');
  new SqliteSearchIndex(main, own);
  image = own.serialize();
  own.close();
  return image;
}
