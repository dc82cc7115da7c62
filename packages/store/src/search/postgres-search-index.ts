import { StoaError } from '@stoa/protocol';
import type { Tx } from '../sql/statement.js';
import type { Store } from '../store.js';
import { indexSome } from './postgres-indexing.js';
import { prepareSearchTables } from './postgres-search-schema.js';
import {
  findTail,
  listGone,
  listTails,
  matchAll,
  matchAllInTopic,
  matchNewest,
  matchNewestInTopic,
} from './postgres-search-statements.js';
import { toTsquery } from './postgres-text.js';
import type { SearchIndex, SearchMatch, SearchRequest } from './search-index.js';
import { parseQuery } from './search-query.js';
import { type DatedMatch, newestFirst, scanTails } from './tail-scan.js';

export interface PostgresSearchOptions {
  /** Told when indexing failed. It is tried again; this is for the log. */
  readonly onFailure?: (error: unknown) => void;
}

/** Looking through so many takes some milliseconds. */
const NEWEST = 4_000;
const HINT_DELAY_MS = 50;
/** Hints tell what grew; looking for oneself now and then makes up for lost ones. */
const POLL_MS = 5_000;

/** Makes the tables of the index when they are missing or of an older version, and follows the logs. */
export async function openPostgresSearchIndex(
  store: Store,
  options: PostgresSearchOptions = {},
): Promise<SearchIndex> {
  await store.transact(prepareSearchTables);
  return new PostgresSearchIndex(store, options);
}

/**
 * The index on PostgreSQL, in tables of its own. Every daemon on the database indexes, each what it
 * was told of, or found.
 *
 *   idle ──hint, poll──▶ indexing ──nothing waits, or a failure──▶ idle ──close──▶ closed
 */
class PostgresSearchIndex implements SearchIndex {
  readonly #waiting = new Set<number>();
  readonly #poll: NodeJS.Timeout;
  #wakeUp: NodeJS.Timeout | undefined;
  #indexing: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    private readonly store: Store,
    private readonly options: PostgresSearchOptions,
  ) {
    this.#poll = setInterval(() => {
      this.#start({ lookAround: true });
    }, POLL_MS).unref();
    this.#start({ lookAround: true });
  }

  async search({ text, topicId, limit }: SearchRequest): Promise<SearchMatch[]> {
    this.#assertOpen();
    const terms = parseQuery(text);
    if (terms.length === 0 || limit < 1) return [];
    const query = toTsquery(terms);
    return this.store.read(function* () {
      const tails = yield* topicId === undefined ? listTails.all({}) : findTail.all({ topicId });
      const unindexed = yield* scanTails(terms, tails);
      const indexed = yield* matchIndexed(query, limit, topicId);
      return newestFirst([...unindexed, ...indexed], limit);
    });
  }

  hint(topicId: number): void {
    if (this.#isClosed) return;
    this.#waiting.add(topicId);
    this.#wakeUp ??= setTimeout(() => {
      this.#wakeUp = undefined;
      this.#start({ lookAround: false });
    }, HINT_DELAY_MS).unref();
  }

  async settled(): Promise<void> {
    this.#assertOpen();
    const unfinished = await this.store.read(listUnfinished);
    for (const { topicId, upTo } of unfinished) {
      for (let isMore = true; isMore; ) {
        const progress = await indexSome(this.store, topicId);
        isMore = progress.isMore && progress.seq < upTo;
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#wakeUp);
    await this.#indexing;
  }

  #start(how: { readonly lookAround: boolean }): void {
    if (this.#isClosed) return;
    this.#indexing ??= this.#index(how.lookAround).finally(() => {
      this.#indexing = undefined;
    });
  }

  /** Never rejects. What failed waits for the next poll. */
  async #index(lookAround: boolean): Promise<void> {
    try {
      if (lookAround) {
        for (const { topicId } of await this.store.read(listUnfinished)) this.#waiting.add(topicId);
      }
      for (const topicId of this.#waiting) {
        if (this.#isClosed) return;
        this.#waiting.delete(topicId);
        const { isMore } = await indexSome(this.store, topicId);
        // Again, at the end: the others come first.
        if (isMore) this.#waiting.add(topicId);
      }
    } catch (error) {
      if (!this.#isClosed) this.options.onFailure?.(error);
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoaError('shutting_down', 'Search is closed');
  }
}

/** Common words are found among the newest documents; only for others the whole index is asked. */
function* matchIndexed(query: string, limit: number, topicId?: number): Tx<DatedMatch[]> {
  const among = { query, limit, window: NEWEST };
  const newest = yield* topicId === undefined
    ? matchNewest.all(among)
    : matchNewestInTopic.all({ ...among, topicId });
  if (newest.length === limit) return newest;
  return yield* topicId === undefined
    ? matchAll.all({ query, limit })
    : matchAllInTopic.all({ query, limit, topicId });
}

interface Unfinished {
  readonly topicId: number;
  readonly upTo: number;
}

function* listUnfinished(): Tx<Unfinished[]> {
  const gone = yield* listGone.all({});
  return [
    ...(yield* listTails.all({})),
    ...gone.map(({ topicId }) => ({ topicId, upTo: Infinity })),
  ];
}
