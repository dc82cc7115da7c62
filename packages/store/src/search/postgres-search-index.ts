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
  /** Called when indexing failed, for the log. It is retried. */
  readonly onFailure?: (error: unknown) => void;
}

/** Searching this many takes some milliseconds. */
const NEWEST = 4_000;
const HINT_DELAY_MS = 50;
/** Polling compensates for lost hints. */
const POLL_MS = 5_000;

/** Creates the tables of the index if they are missing or outdated, and follows the logs. */
export async function openPostgresSearchIndex(
  store: Store,
  options: PostgresSearchOptions = {},
): Promise<SearchIndex> {
  await store.transact(prepareSearchTables);
  return new PostgresSearchIndex(store, options);
}

/**
 * The index on PostgreSQL, in separate tables. Every daemon on the database indexes the topics that it has hints for
 * or finds.
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
      this.#start({ poll: true });
    }, POLL_MS).unref();
    this.#start({ poll: true });
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
      this.#start({ poll: false });
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

  #start(how: { readonly poll: boolean }): void {
    if (this.#isClosed) return;
    this.#indexing ??= this.#index(how.poll).finally(() => {
      this.#indexing = undefined;
    });
  }

  /** Never rejects. The next poll retries what failed. */
  async #index(poll: boolean): Promise<void> {
    try {
      if (poll) {
        for (const { topicId } of await this.store.read(listUnfinished)) this.#waiting.add(topicId);
      }
      for (const topicId of this.#waiting) {
        if (this.#isClosed) return;
        this.#waiting.delete(topicId);
        const { isMore } = await indexSome(this.store, topicId);
        // At the end of the queue: other topics come first.
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

/** Searches the newest documents first, which suffices for common words, and the whole index only if necessary. */
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
