import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isDamage } from '../sqlite/failure.js';
import { checkFile, parseCheckData } from '../sqlite/integrity.js';
import type { SearchRequest } from './search-index.js';
import {
  type FromThread,
  parseThreadData,
  parseToThread,
  type ThreadData,
} from './search-messages.js';
import { isNoRoom, removeSearchFile } from './sqlite-search-file.js';
import { type Goal, openSqliteSearchIndex, type SqliteSearchIndex } from './sqlite-search-index.js';

/** Polling compensates for lost hints. */
const POLL_MS = 5_000;

/**
 * The code of the search thread.
 *
 *   indexing ──nothing waits, disk full──▶ idle ──hint, settle, poll──▶ indexing
 *
 * It indexes in small steps and returns to the event loop between them, so that a query waits for at most one step. A
 * failed query is answered with its error. A step that finds the disk full is retried later, and queries scan the
 * range it would have indexed. Any other failed step ends the thread; the host starts another, which continues from
 * the last commit of the index. A damaged file is removed first, so that the next thread builds it again.
 */
class SearchThread {
  readonly #poll = setInterval(() => this.#pollLogs(), POLL_MS);
  #next: NodeJS.Immediate | undefined;
  #goals: { readonly id: number; readonly goal: Goal }[] = [];

  constructor(
    private readonly index: SqliteSearchIndex,
    private readonly port: MessagePort,
    private readonly searchPath: string,
  ) {
    port.on('message', (value: unknown) => {
      this.#receive(value);
    });
    this.#pollLogs();
  }

  #receive(value: unknown): void {
    const message = parseToThread(value);
    switch (message?.kind) {
      case 'search':
        this.#search(message.id, message.request);
        return;
      case 'settle':
        this.#pollLogs();
        this.#goals.push({ id: message.id, goal: this.index.goal() });
        return;
      case 'hint':
        for (const topicId of message.topicIds) this.index.hint(topicId);
        this.#goOn();
        return;
      case 'close':
        this.#close();
        return;
      case undefined:
        throw new Error('The host sent something that is not a message');
    }
  }

  #search(id: number, request: SearchRequest): void {
    try {
      this.#send({ kind: 'found', id, matches: this.index.search(request) });
    } catch (error) {
      this.#send({ kind: 'failed', id, reason: String(error) });
      if (isDamage(error)) this.#fail(error);
    }
  }

  #pollLogs(): void {
    this.#orFail(() => {
      this.index.refresh();
    });
    this.#goOn();
  }

  #goOn(): void {
    this.#next ??= setImmediate(() => {
      this.#step();
    });
  }

  #step(): void {
    this.#next = undefined;
    const isMore = this.#orFail(() => this.#indexIfThereIsRoom());
    const reached = this.#goals.filter(({ goal }) => this.index.isReached(goal));
    this.#goals = this.#goals.filter((pending) => !reached.includes(pending));
    for (const { id } of reached) this.#send({ kind: 'settled', id });
    if (isMore) this.#goOn();
  }

  #indexIfThereIsRoom(): boolean {
    try {
      return this.index.indexSome();
    } catch (error) {
      if (isNoRoom(error)) return false;
      throw error;
    }
  }

  #send(message: FromThread): void {
    this.port.postMessage(message);
  }

  #orFail<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): never {
    this.#close();
    if (isDamage(error)) removeSearchFile(this.searchPath);
    throw portable(error);
  }

  #close(): void {
    clearInterval(this.#poll);
    clearImmediate(this.#next);
    this.index.close();
    this.port.close();
  }
}

function open({ databasePath, searchPath }: ThreadData): SqliteSearchIndex {
  try {
    return openSqliteSearchIndex(databasePath, searchPath);
  } catch (error) {
    if (isDamage(error)) removeSearchFile(searchPath);
    throw portable(error);
  }
}

/** Errors of SQLite lose their message on the way to the host; those of JavaScript keep it. */
function portable(error: unknown): Error {
  return new Error(String(error), { cause: error });
}

function begin(port: MessagePort | null): void {
  const check = parseCheckData(workerData);
  const data = parseThreadData(workerData);
  if (port && check) port.postMessage(checkFile(check));
  else if (port && data) new SearchThread(open(data), port, data.searchPath);
  else throw new Error('This file is the entry of the search thread and of checks');
}

begin(parentPort);
