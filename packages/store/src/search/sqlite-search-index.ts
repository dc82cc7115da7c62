import type { SqliteDatabase } from '../sqlite/binding/database.js';
import { openSqlite } from '../sqlite/binding/open.js';
import { oldestWindow, type WindowLimits } from './log-window.js';
import { MainReader } from './main-reader.js';
import { type LogRange, readChanges } from './message-changes.js';
import type { SearchMatch, SearchRequest } from './search-index.js';
import { parseQuery, type Term } from './search-query.js';
import { SqliteDocuments, type TopicBatch } from './sqlite-documents.js';
import { openSearchFile, prepareSearchFile, removeSearchFile } from './sqlite-search-file.js';
import { type DatedMatch, newestFirst, scanTails } from './tail-scan.js';

/** How much is indexed in one step. */
interface StepLimits extends WindowLimits {
  readonly topics: number;
}

/** Takes some ten milliseconds, which is what a query may have to wait. */
const STEP: StepLimits = { topics: 64, events: 256, bytes: 256 * 1024 };

/** How far each of some topics has to be indexed. */
export type Goal = ReadonlyMap<number, number>;

/**
 * The index on SQLite: synchronous, so it belongs in a thread of its own. It only reads the main
 * database, and holds no snapshot of it between calls, which would keep its log from shrinking.
 *
 * A query over all channels scans the tails of those it was hinted at. Looking for them instead
 * costs some microseconds a channel, so that is only done now and then, by `refresh`.
 */
export class SqliteSearchIndex {
  readonly #documents: SqliteDocuments;
  readonly #main: MainReader;
  /** Topics that may have grown or gone since they were indexed. */
  readonly #waiting = new Set<number>();
  #seenVersion = '';

  constructor(
    private readonly main: SqliteDatabase,
    private readonly own: SqliteDatabase,
    private readonly step = STEP,
  ) {
    prepareSearchFile(own);
    this.#documents = new SqliteDocuments(own);
    this.#main = new MainReader(main);
    this.refresh();
  }

  /** Newest first. */
  search({ text, topicId, limit }: SearchRequest): SearchMatch[] {
    const terms = parseQuery(text);
    if (terms.length === 0 || limit < 1) return [];
    return this.#main.snapshot(() => {
      const topics = topicId === undefined ? this.#waiting : [topicId];
      const tails = [...topics].flatMap((topic) => this.#tailOf(topic) ?? []);
      const unindexed = this.#main.drive(() => scanTails(terms, tails));
      return newestFirst([...unindexed, ...this.#indexed(terms, topicId, limit)], limit);
    });
  }

  /** Call it before a query that must find the new messages of the topic. */
  hint(topicId: number): void {
    this.#waiting.add(topicId);
  }

  /** If anything was committed since the last call, finds every topic that has something to index. */
  refresh(): void {
    const version = this.#main.version();
    if (version === this.#seenVersion) return;
    let known = 0;
    for (const { topicId, head } of this.#main.heads()) {
      if (this.#documents.has(topicId)) known += 1;
      if (head > this.#documents.watermark(topicId)) this.#waiting.add(topicId);
    }
    if (known < this.#documents.topicCount) {
      for (const topicId of this.#documents.topicIds) {
        if (!this.#main.channel(topicId)) this.#waiting.add(topicId);
      }
    }
    this.#seenVersion = version;
  }

  /** Indexes a small part of each waiting topic in turn. Returns whether there is more to do. */
  indexSome(): boolean {
    if (this.#waiting.size === 0) return this.#documents.tidySome(this.step.events);
    const batches: TopicBatch[] = [];
    const done: number[] = [];
    let { events, bytes } = this.step;
    for (const topicId of [...this.#waiting].slice(0, this.step.topics)) {
      if (events <= 0 || bytes <= 0) break;
      if (!this.#main.channel(topicId)) {
        if (!this.#documents.drop(topicId, this.step.events)) this.#waiting.delete(topicId);
        break;
      }
      const batch = this.#nextBatch(topicId, { events, bytes });
      if (!batch) {
        done.push(topicId);
        continue;
      }
      batches.push(batch);
      events -= batch.events;
      bytes -= batch.bytes;
    }
    this.#documents.write(batches);
    for (const topicId of done) this.#waiting.delete(topicId);
    for (const { topicId } of batches) this.#toEnd(topicId);
    return this.#waiting.size > 0 || this.#documents.isUntidy;
  }

  /** What has to be indexed so that everything committed by now is. */
  goal(): Goal {
    return new Map(
      [...this.#waiting].map((topicId) => [topicId, this.#main.channel(topicId)?.head ?? Infinity]),
    );
  }

  isReached(goal: Goal): boolean {
    return [...goal].every(
      ([topicId, seq]) => !this.#waiting.has(topicId) || this.#documents.watermark(topicId) >= seq,
    );
  }

  close(): void {
    this.own.close();
    this.main.close();
  }

  #nextBatch(topicId: number, limits: WindowLimits) {
    const tail = this.#tailOf(topicId);
    if (!tail) return undefined;
    return this.#main.drive(function* () {
      const window = yield* oldestWindow(tail, limits);
      if (!window) return undefined;
      const changes = yield* readChanges(window);
      const { after, upTo: seq, at, bytes } = window;
      return { topicId, seq, at, changes, events: seq - after, bytes };
    });
  }

  #toEnd(topicId: number): void {
    this.#waiting.delete(topicId);
    if (this.#tailOf(topicId)) this.#waiting.add(topicId);
  }

  #tailOf(topicId: number): LogRange | undefined {
    const channel = this.#main.channel(topicId);
    if (!channel) return undefined;
    const after = Math.max(this.#documents.watermark(topicId), channel.floor);
    return channel.head > after ? { topicId, after, upTo: channel.head } : undefined;
  }

  /** Excludes messages that were deleted or edited since: edited ones are found in the tail. */
  #indexed(terms: readonly Term[], topicId: number | undefined, limit: number): DatedMatch[] {
    const found: DatedMatch[] = [];
    for (const match of this.#documents.matches(terms, topicId)) {
      const message = this.#main.message(match);
      if (!message || message.bodySeq > this.#documents.watermark(match.topicId)) continue;
      // Takes all documents of one millisecond, because only sorting determines which come first.
      const last = found[limit - 1];
      if (found.length >= limit && last && message.createdAt < last.createdAt) break;
      found.push({ ...match, createdAt: message.createdAt });
    }
    return found;
  }
}

/**
 * Opens the index of a main database. The file is a projection: one of another version, a damaged one, or one made
 * from another main database (a backup was restored) is built again.
 */
export function openSqliteSearchIndex(
  databasePath: string,
  searchPath: string,
  step = STEP,
): SqliteSearchIndex {
  const opened: SqliteDatabase[] = [];
  const keep = (db: SqliteDatabase): SqliteDatabase => {
    opened.push(db);
    return db;
  };
  try {
    const main = keep(openSqlite(databasePath, { readonly: true, fileMustExist: true }));
    main.pragma('busy_timeout = 5000');
    let own = keep(openSearchFile(searchPath));
    if (!isMadeFrom(new MainReader(main), own)) {
      own.close();
      removeSearchFile(searchPath);
      own = keep(openSearchFile(searchPath));
    }
    return new SqliteSearchIndex(main, own, step);
  } catch (error) {
    for (const db of opened) db.close();
    throw error;
  }
}

interface Watermark {
  readonly topicId: number;
  readonly seq: number;
  readonly at: number;
}

/** The event at each watermark must be the one that was indexed. */
function isMadeFrom(main: MainReader, own: SqliteDatabase): boolean {
  const watermarks = own
    .prepare<[], Watermark>('SELECT "topicId", "seq", "at" FROM "watermarks"')
    .all();
  return watermarks.every(
    ({ topicId, seq, at }) => !main.channel(topicId) || main.eventAt(topicId, seq) === at,
  );
}
