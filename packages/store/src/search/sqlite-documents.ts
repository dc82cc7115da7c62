import type { SqliteDatabase } from '../sqlite/binding/database.js';
import { inTransaction } from '../sqlite/transaction.js';
import type { MessageChange } from './message-changes.js';
import type { SearchMatch } from './search-index.js';
import type { Term } from './search-query.js';
import { tokensOf } from './search-tokens.js';

/** The changes that bring one topic up to a sequence. */
export interface TopicBatch {
  readonly topicId: number;
  readonly seq: number;
  readonly at: number;
  readonly changes: readonly MessageChange[];
}

/** Document numbers per millisecond; the product stays a safe integer until 2248. */
const IDS_PER_MS = 1024;
/** FTS5 keeps separate doclists for prefixes up to this length. */
const INDEXED_PREFIX_CHARS = 2;
/** A prefix of more words than this is left to FTS5. */
const MAX_ALTERNATIVES = 200;
const MAX_REMEMBERED_WORDS = 50_000;

/** The contents of the search file: documents, their words, and the watermark of each topic. */
export class SqliteDocuments {
  readonly #watermarks: Map<number, number>;
  /** Words that are certainly in the file, so that common ones are not written again. */
  readonly #remembered = new Set<string>();
  readonly #sql: Statements;

  constructor(private readonly db: SqliteDatabase) {
    this.#sql = prepare(db);
    this.#watermarks = new Map(
      this.#sql.listWatermarks.all().map(({ topicId, seq }) => [topicId, seq]),
    );
  }

  get topicIds(): Iterable<number> {
    return this.#watermarks.keys();
  }

  get topicCount(): number {
    return this.#watermarks.size;
  }

  get isUntidy(): boolean {
    return this.#sql.tidying.get() !== undefined;
  }

  /** Everything up to this sequence is indexed. */
  watermark(topicId: number): number {
    return this.#watermarks.get(topicId) ?? 0;
  }

  has(topicId: number): boolean {
    return this.#watermarks.has(topicId);
  }

  /** All or nothing: after a crash the documents and the watermarks still match. */
  write(batches: readonly TopicBatch[]): void {
    this.#inTransaction(() => {
      for (const { topicId, change } of inOrderOfTime(batches)) this.#apply(topicId, change);
      for (const { topicId, seq, at } of batches) this.#sql.setWatermark.run(topicId, seq, at);
    });
    for (const { topicId, seq } of batches) this.#watermarks.set(topicId, seq);
  }

  /** Deletes a topic, a bounded number of documents at a time. Returns whether some are left. */
  drop(topicId: number, limit: number): boolean {
    return this.#inTransaction(() => {
      const ids = this.#sql.listDocuments.all(topicId, limit);
      for (const { id } of ids) this.#remove(id);
      if (ids.length === limit) return true;
      this.#sql.deleteWatermark.run(topicId);
      this.#sql.setTidying.run('');
      this.#watermarks.delete(topicId);
      return false;
    });
  }

  /**
   * After a topic was deleted, checks a bounded number of words and deletes those that no document contains, so that
   * erased text cannot be read from the list of words. Returns whether words are left to check.
   */
  tidySome(limit: number): boolean {
    const after = this.#sql.tidying.get()?.after;
    if (after === undefined) return false;
    return this.#inTransaction(() => {
      const words = this.#sql.listWordsAfter.all(after, limit).map(({ word }) => word);
      for (const word of words) {
        if (this.#sql.holds.get(`tokens : ${fts5String([word])}`) !== undefined) continue;
        this.#sql.deleteWord.run(word);
        this.#remembered.delete(word);
      }
      const last = words.length < limit ? undefined : words.at(-1);
      if (last === undefined) this.#sql.endTidying.run();
      else this.#sql.setTidying.run(last);
      return last !== undefined;
    });
  }

  /** Newest first, while the caller continues. */
  matches(terms: readonly Term[], topicId: number | undefined): Iterable<SearchMatch> {
    const tokens = `tokens : (${toFts5(terms, (prefix) => this.#alternatives(prefix))})`;
    const query = topicId === undefined ? tokens : `topic : "${topicToken(topicId)}" AND ${tokens}`;
    return this.#sql.match.iterate(query);
  }

  #inTransaction<T>(body: () => T): T {
    try {
      return inTransaction(this.db, body, 'IMMEDIATE');
    } catch (error) {
      this.#remembered.clear();
      throw error;
    }
  }

  #apply(topicId: number, { seq, createdAt, text }: MessageChange): void {
    const known = this.#sql.findDocument.get(topicId, seq)?.id;
    const tokens = text === undefined ? [] : tokensOf(text);
    if (tokens.length === 0) {
      if (known !== undefined) this.#remove(known);
      return;
    }
    const id = known ?? this.#newId(createdAt);
    if (known === undefined) this.#sql.insertDocument.run(id, topicId, seq);
    const write = known === undefined ? this.#sql.insertText : this.#sql.replaceText;
    write.run(id, topicToken(topicId), tokens.join(' '));
    for (const token of tokens) if (token.length > INDEXED_PREFIX_CHARS) this.#learn(token);
  }

  #newId(createdAt: number): number {
    for (let first = createdAt * IDS_PER_MS; ; first += IDS_PER_MS) {
      const last = this.#sql.lastId.get(first, first + IDS_PER_MS - 1)?.id ?? null;
      if (last === null) return first;
      if (last < first + IDS_PER_MS - 1) return last + 1;
    }
  }

  #remove(id: number): void {
    this.#sql.deleteText.run(id);
    this.#sql.deleteDocument.run(id);
  }

  #learn(word: string): void {
    if (this.#remembered.has(word)) return;
    if (this.#remembered.size >= MAX_REMEMBERED_WORDS) this.#remembered.clear();
    this.#remembered.add(word);
    this.#sql.insertWord.run(word);
  }

  #alternatives(prefix: string): readonly string[] | undefined {
    if (Array.from(prefix).length <= INDEXED_PREFIX_CHARS) return undefined;
    const words = this.#sql.listWords.all(prefix, `${prefix}\u{10FFFF}`, MAX_ALTERNATIVES + 1);
    return words.length > MAX_ALTERNATIVES ? undefined : words.map(({ word }) => word);
  }
}

/** FTS5 writes a new segment whenever a document is older than the previous one. */
function inOrderOfTime(batches: readonly TopicBatch[]) {
  return batches
    .flatMap(({ topicId, changes }) => changes.map((change) => ({ topicId, change })))
    .sort((a, b) => a.change.createdAt - b.change.createdAt || a.change.seq - b.change.seq);
}

const topicToken = (topicId: number): string => `#${topicId}`;

type Statements = ReturnType<typeof prepare>;

function prepare(db: SqliteDatabase) {
  return {
    listWatermarks: db.prepare<[], { topicId: number; seq: number }>(
      'SELECT "topicId", "seq" FROM "watermarks"',
    ),
    setWatermark: db.prepare<[number, number, number]>(
      'INSERT OR REPLACE INTO "watermarks" ("topicId", "seq", "at") VALUES (?, ?, ?)',
    ),
    deleteWatermark: db.prepare<[number]>('DELETE FROM "watermarks" WHERE "topicId" = ?'),
    findDocument: db.prepare<[number, number], { id: number }>(
      'SELECT "id" FROM "documents" WHERE "topicId" = ? AND "seq" = ?',
    ),
    listDocuments: db.prepare<[number, number], { id: number }>(
      'SELECT "id" FROM "documents" WHERE "topicId" = ? LIMIT ?',
    ),
    lastId: db.prepare<[number, number], { id: number | null }>(
      'SELECT max("id") AS "id" FROM "documents" WHERE "id" BETWEEN ? AND ?',
    ),
    insertDocument: db.prepare<[number, number, number]>(
      'INSERT INTO "documents" ("id", "topicId", "seq") VALUES (?, ?, ?)',
    ),
    deleteDocument: db.prepare<[number]>('DELETE FROM "documents" WHERE "id" = ?'),
    insertText: db.prepare<[number, string, string]>(
      'INSERT INTO "texts" (rowid, "topic", "tokens") VALUES (?, ?, ?)',
    ),
    replaceText: db.prepare<[number, string, string]>(
      'INSERT OR REPLACE INTO "texts" (rowid, "topic", "tokens") VALUES (?, ?, ?)',
    ),
    deleteText: db.prepare<[number]>('DELETE FROM "texts" WHERE rowid = ?'),
    insertWord: db.prepare<[string]>('INSERT OR IGNORE INTO "words" ("word") VALUES (?)'),
    deleteWord: db.prepare<[string]>('DELETE FROM "words" WHERE "word" = ?'),
    listWordsAfter: db.prepare<[string, number], { word: string }>(
      'SELECT "word" FROM "words" WHERE "word" > ? ORDER BY "word" LIMIT ?',
    ),
    holds: db.prepare<[string], number>('SELECT 1 FROM "texts" WHERE "texts" MATCH ? LIMIT 1'),
    tidying: db.prepare<[], { after: string }>('SELECT "after" FROM "tidying"'),
    setTidying: db.prepare<[string]>(
      'INSERT OR REPLACE INTO "tidying" ("id", "after") VALUES (1, ?)',
    ),
    endTidying: db.prepare<[]>('DELETE FROM "tidying"'),
    listWords: db.prepare<[string, string, number], { word: string }>(
      'SELECT "word" FROM "words" WHERE "word" >= ? AND "word" < ? LIMIT ?',
    ),
    match: db.prepare<[string], SearchMatch>(
      `SELECT d."topicId", d."seq" FROM "texts" t CROSS JOIN "documents" d ON d."id" = t.rowid
       WHERE "texts" MATCH ? ORDER BY t.rowid DESC`,
    ),
  };
}

/** Known tokens that begin with a prefix; undefined if there are too many. */
type Expand = (prefix: string) => readonly string[] | undefined;

/**
 * Terms in the syntax of FTS5. A prefix is written as its tokens: FTS5 would first collect every document of each of
 * them, which grows with history.
 */
export function toFts5(terms: readonly Term[], expand: Expand): string {
  return terms.map((term) => fts5Term(term, expand)).join(' AND ');
}

function fts5Term({ tokens, prefix }: Term, expand: Expand): string {
  if (!prefix) return fts5String(tokens);
  const last = tokens.at(-1) ?? '';
  const endings = expand(last);
  if (endings === undefined) return `${fts5String(tokens)} *`;
  const before = tokens.slice(0, -1);
  const phrases = (endings.length === 0 ? [last] : endings).map((end) =>
    fts5String([...before, end]),
  );
  return `(${phrases.join(' OR ')})`;
}

/** FTS5 splits a string at spaces, which gives the tokens as a phrase. */
function fts5String(tokens: readonly string[]): string {
  return `"${tokens.join(' ').replaceAll('"', '""')}"`;
}
