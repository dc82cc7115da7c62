import { Worker } from 'node:worker_threads';
import { StoaError } from '@stoa/protocol';
import type { SearchIndex, SearchMatch, SearchRequest } from './search-index.js';
import { parseFromThread, type ThreadData, type ToThread } from './search-messages.js';

export interface ThreadedSearchOptions extends ThreadData {
  /** The built file of search-thread.ts. */
  readonly entry: URL;
  /** Called when the thread ended unexpectedly, for the log. Search recovers. */
  readonly onFailure?: (error: unknown) => void;
}

/** Delays the thread while the daemon starts; the first query does not wait for it. */
const START_MS = 500;
/** Sends hints in batches, or before a query: a post must not cost a message to the thread. */
const HINT_DELAY_MS = 50;
const BACKOFF_MS = { first: 100, most: 30_000 } as const;
/** A thread that ran this long did not fail because of its start. */
const HEALTHY_MS = 60_000;
const CLOSE_MS = 5_000;

interface Pending {
  readonly resolve: (matches: SearchMatch[]) => void;
  readonly reject: (error: StoaError) => void;
}

/**
 * The SQLite index in a separate thread, so that neither indexing nor a broad query blocks the daemon.
 *
 *   resting ──query, half a second──▶ running ──thread ended──▶ waiting ──backoff──▶ running
 *      └──────────────────────close──────┴───────────────────────┴──▶ closed
 *
 * Requests that are pending when a thread ends are refused, and so are those before the next one runs.
 */
export class ThreadedSearchIndex implements SearchIndex {
  #worker: Worker | undefined;
  #closed: Promise<void> | undefined;
  #failures = 0;
  #startedAt = 0;
  #restart: NodeJS.Timeout | undefined;
  #hintTimer: NodeJS.Timeout | undefined;
  readonly #hints = new Set<number>();
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  #resting: NodeJS.Timeout | undefined;

  constructor(private readonly options: ThreadedSearchOptions) {
    this.#resting = setTimeout(() => {
      this.#start();
    }, START_MS).unref();
  }

  search(request: SearchRequest): Promise<SearchMatch[]> {
    return this.#ask((id) => ({ kind: 'search', id, request }));
  }

  hint(topicId: number): void {
    if (this.#closed) return;
    this.#hints.add(topicId);
    this.#hintTimer ??= setTimeout(() => {
      this.#passHints();
    }, HINT_DELAY_MS).unref();
  }

  async settled(): Promise<void> {
    await this.#ask((id) => ({ kind: 'settle', id }));
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#resting);
    clearTimeout(this.#restart);
    clearTimeout(this.#hintTimer);
    this.#refusePending(new StoaError('shutting_down', 'Search is closed'));
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ kind: 'close' } satisfies ToThread);
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MS);
    await ended;
    clearTimeout(timer);
  }

  #start(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
    const { entry, databasePath, searchPath } = this.options;
    const workerData: ThreadData = { databasePath, searchPath };
    const worker = new Worker(entry, { workerData, name: 'stoa-search' });
    this.#worker = worker;
    this.#startedAt = performance.now();
    let failure: unknown;
    worker.on('message', (value: unknown) => {
      this.#receive(value);
    });
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', (code) => {
      this.#ended(failure ?? new Error(`The search thread ended with code ${code}`));
    });
  }

  #ended(error: unknown): void {
    this.#worker = undefined;
    if (this.#closed) return;
    this.#refusePending(unavailable('The search thread ended', error));
    this.options.onFailure?.(error);
    if (performance.now() - this.#startedAt >= HEALTHY_MS) this.#failures = 0;
    const delay = Math.min(BACKOFF_MS.first * 2 ** this.#failures, BACKOFF_MS.most);
    this.#failures += 1;
    this.#restart = setTimeout(() => {
      this.#start();
    }, delay).unref();
  }

  #ask(message: (id: number) => ToThread): Promise<SearchMatch[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new StoaError('shutting_down', 'Search is closed'));
        return;
      }
      if (this.#resting) this.#start();
      if (!this.#worker) {
        reject(unavailable('The search thread is being started again'));
      } else {
        this.#passHints();
        this.#lastId += 1;
        this.#pending.set(this.#lastId, { resolve, reject });
        this.#worker.postMessage(message(this.#lastId));
      }
    });
  }

  #receive(value: unknown): void {
    if (this.#closed) return;
    const message = parseFromThread(value);
    const pending = message && this.#pending.get(message.id);
    if (!pending) {
      this.options.onFailure?.(new Error('The search thread sent an answer nobody asked for'));
      return;
    }
    this.#pending.delete(message.id);
    if (message.kind === 'failed') pending.reject(unavailable(message.reason));
    else pending.resolve(message.kind === 'found' ? [...message.matches] : []);
  }

  /** A new thread finds for itself what has grown, so hints for an ended one may be lost. */
  #passHints(): void {
    clearTimeout(this.#hintTimer);
    this.#hintTimer = undefined;
    if (this.#hints.size === 0) return;
    this.#worker?.postMessage({ kind: 'hint', topicIds: [...this.#hints] } satisfies ToThread);
    this.#hints.clear();
  }

  #refusePending(error: StoaError): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function unavailable(detail: string, cause?: unknown): StoaError {
  return new StoaError('storage_unavailable', detail, [], { cause });
}
