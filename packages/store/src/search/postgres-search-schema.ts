import { StoaError } from '@stoa/protocol';
import type { Tx } from '../sql/statement.js';
import { type Statement, statement } from '../sql/statement.js';

/** A statement on tables that only PostgreSQL has. */
export const postgresOnly = <P extends object, R = never>(postgres: string): Statement<P, R> =>
  statement<P, R>({ sqlite: '', postgres });

/** An older version is deleted and built again: the tables are a projection, not data. */
const VERSION = 1;

/** Daemons that start at the same time take turns. */
const lockSetup = postgresOnly<object>(`SELECT pg_advisory_xact_lock(711700001)`);

const findVersionTable = postgresOnly<object, { found: boolean }>(
  `SELECT to_regclass('"searchVersion"') IS NOT NULL AS "found"`,
);
const createVersionTable = postgresOnly<object>(
  `CREATE TABLE "searchVersion" ("version" BIGINT NOT NULL)`,
);
const findVersion = postgresOnly<object, { version: number }>(
  `SELECT "version" FROM "searchVersion"`,
);
const deleteVersion = postgresOnly<object>(`DELETE FROM "searchVersion"`);
const insertVersion = postgresOnly<{ version: number }>(
  `INSERT INTO "searchVersion" ("version") VALUES (:version)`,
);

const REBUILD = [
  `DROP TABLE IF EXISTS "searchDocuments", "searchWatermarks"`,
  `CREATE TABLE "searchDocuments" (
     "topicId" BIGINT NOT NULL,
     "seq" BIGINT NOT NULL,
     "createdAt" BIGINT NOT NULL,
     "tokens" TSVECTOR NOT NULL,
     PRIMARY KEY ("topicId", "seq")
   )`,
  `CREATE INDEX "searchDocumentsByToken" ON "searchDocuments" USING gin ("tokens")`,
  `CREATE INDEX "searchDocumentsByTime" ON "searchDocuments" ("createdAt", "topicId", "seq")`,
  `CREATE TABLE "searchWatermarks" ("topicId" BIGINT NOT NULL PRIMARY KEY, "seq" BIGINT NOT NULL)`,
].map((statement) => postgresOnly<object>(statement));

/**
 * Creates the tables of the index, which are not part of the migrations. Needs no right to create tables if they
 * exist.
 */
export function* prepareSearchTables(): Tx<void> {
  yield* lockSetup.run({});
  if (!(yield* findVersionTable.first({}))?.found) yield* createVersionTable.run({});
  const found = (yield* findVersion.first({}))?.version;
  if (found === VERSION) return;
  if (found !== undefined && found > VERSION) {
    throw new StoaError(
      'schema_too_new',
      `The search tables have version ${found}; this program knows up to ${VERSION}.`,
    );
  }
  for (const statement of REBUILD) yield* statement.run({});
  yield* deleteVersion.run({});
  yield* insertVersion.run({ version: VERSION });
}
