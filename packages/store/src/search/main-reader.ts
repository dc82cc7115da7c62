import type { Tx } from '../sql/statement.js';
import type { SqliteDatabase } from '../sqlite/binding/database.js';
import { StatementRunner } from '../sqlite/statement-runner.js';
import { inTransaction } from '../sqlite/transaction.js';
import { HEAD } from '../statements/topics.js';
import type { SearchMatch } from './search-index.js';

interface ChannelEnds {
  readonly head: number;
  readonly floor: number;
}

interface LivingMessage {
  readonly createdAt: number;
  readonly bodySeq: number;
}

/** What the index reads from the main database. It never writes there. */
export class MainReader {
  readonly #runner: StatementRunner;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(private readonly db: SqliteDatabase) {
    this.#runner = new StatementRunner(db);
    this.#sql = prepare(db);
  }

  drive<T>(body: () => Tx<T>): T {
    return this.#runner.drive(body);
  }

  /** All reads in the body see the same state. */
  snapshot<T>(body: () => T): T {
    return inTransaction(this.db, body);
  }

  /** Changes whenever anything was committed, here or by another connection. */
  version(): string {
    const elsewhere = this.db.pragma('data_version', { simple: true }) as number;
    return `${elsewhere}/${this.#sql.ownChanges.get()?.count ?? 0}`;
  }

  /** Every channel's topic and head. */
  heads(): Iterable<{ readonly topicId: number; readonly head: number }> {
    return this.#sql.heads.iterate();
  }

  /** Undefined if the channel is deleted: its row is deleted with the same event. */
  channel(topicId: number): ChannelEnds | undefined {
    return this.#sql.channel.get(topicId);
  }

  message({ topicId, seq }: SearchMatch): LivingMessage | undefined {
    return this.#sql.message.get(topicId, seq);
  }

  /** When an event happened; undefined if there is no such event. */
  eventAt(topicId: number, seq: number): number | undefined {
    return this.#sql.eventAt.get(topicId, seq)?.at;
  }
}

const CHANNELS = `"channels" c JOIN "topics" t ON t."id" = c."topicId"`;

function prepare(db: SqliteDatabase) {
  return {
    ownChanges: db.prepare<[], { count: number }>('SELECT total_changes() AS "count"'),
    heads: db.prepare<[], { topicId: number; head: number }>(
      `SELECT c."topicId", ${HEAD} AS "head" FROM ${CHANNELS}`,
    ),
    channel: db.prepare<[number], ChannelEnds>(
      `SELECT ${HEAD} AS "head", t."floor" FROM ${CHANNELS} WHERE c."topicId" = ?`,
    ),
    message: db.prepare<[number, number], LivingMessage>(
      `SELECT m."createdAt", m."bodySeq" FROM "messages" m
       JOIN "channels" c ON c."topicId" = m."topicId"
       WHERE m."topicId" = ? AND m."seq" = ? AND m."deletedAt" IS NULL`,
    ),
    eventAt: db.prepare<[number, number], { at: number }>(
      'SELECT "at" FROM "events" WHERE "topicId" = ? AND "seq" = ?',
    ),
  };
}
