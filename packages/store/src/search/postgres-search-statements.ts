import { HEAD } from '../statements/topics.js';
import type { LogRange } from './message-changes.js';
import { postgresOnly } from './postgres-search-schema.js';
import type { DatedMatch } from './tail-scan.js';

const TAILS = `SELECT * FROM (
    SELECT c."topicId", greatest(w."seq", t."floor") AS "after", ${HEAD} AS "upTo"
    FROM "channels" c JOIN "topics" t ON t."id" = c."topicId"
    LEFT JOIN "searchWatermarks" w ON w."topicId" = c."topicId"
  ) AS "tails" WHERE "upTo" > "after"`;

/** The ranges of all channels that are not indexed. */
export const listTails = postgresOnly<object, LogRange>(TAILS);

export const findTail = postgresOnly<{ topicId: number }, LogRange>(
  `${TAILS} AND "topicId" = :topicId`,
);

/** Indexed topics whose channel was deleted. */
export const listGone = postgresOnly<object, { topicId: number }>(
  `SELECT "topicId" FROM "searchWatermarks" w
   WHERE NOT EXISTS (SELECT 1 FROM "channels" c WHERE c."topicId" = w."topicId")`,
);

export const findWatermark = postgresOnly<{ topicId: number }, { seq: number; gone: boolean }>(
  `SELECT w."seq", c."topicId" IS NULL AS "gone" FROM "searchWatermarks" w
   LEFT JOIN "channels" c ON c."topicId" = w."topicId" WHERE w."topicId" = :topicId`,
);

export const insertWatermark = postgresOnly<{ topicId: number }>(
  `INSERT INTO "searchWatermarks" ("topicId", "seq") VALUES (:topicId, 0) ON CONFLICT DO NOTHING`,
);

/** Changes nothing if another daemon was faster. */
export const moveWatermark = postgresOnly<{ topicId: number; from: number; to: number }>(
  `UPDATE "searchWatermarks" SET "seq" = :to WHERE "topicId" = :topicId AND "seq" = :from`,
);

/** Daemons that drop the same topic take turns. A separate statement, so that the next one sees what is left. */
export const lockWatermark = postgresOnly<{ topicId: number }, { topicId: number }>(
  `SELECT "topicId" FROM "searchWatermarks" WHERE "topicId" = :topicId FOR UPDATE`,
);

/** Keeps the watermark while documents are left, so that they are deleted later. */
export const deleteWatermark = postgresOnly<{ topicId: number }>(
  `DELETE FROM "searchWatermarks" WHERE "topicId" = :topicId
   AND NOT EXISTS (SELECT 1 FROM "searchDocuments" WHERE "topicId" = :topicId)`,
);

/** One statement for all documents of a batch. `rows` is a JSON list of seq, createdAt, tokens. */
export const putDocuments = postgresOnly<{ topicId: number; rows: string }>(
  `INSERT INTO "searchDocuments" ("topicId", "seq", "createdAt", "tokens")
   SELECT :topicId::bigint, r."seq", r."createdAt", r."tokens"::tsvector
   FROM json_to_recordset(:rows::json) AS r("seq" bigint, "createdAt" bigint, "tokens" text)
   ON CONFLICT ("topicId", "seq") DO UPDATE SET "tokens" = excluded."tokens"`,
);

/** `seqs` is a JSON list. */
export const deleteDocuments = postgresOnly<{ topicId: number; seqs: string }>(
  `DELETE FROM "searchDocuments" WHERE "topicId" = :topicId
   AND "seq" IN (SELECT s::bigint FROM json_array_elements_text(:seqs::json) AS s)`,
);

export const deleteSomeDocuments = postgresOnly<{ topicId: number; limit: number }>(
  `DELETE FROM "searchDocuments" WHERE "topicId" = :topicId AND "seq" IN (
     SELECT "seq" FROM "searchDocuments" WHERE "topicId" = :topicId LIMIT :limit)`,
);

/**
 * Excludes messages that were deleted or edited since: edited ones are found in the tail. Checks one document after
 * the other, newest first, until there are enough; a join would check all.
 */
const matching = (documents: string): string =>
  `WITH "found" AS MATERIALIZED (${documents})
   SELECT * FROM (
     SELECT * FROM "found" ORDER BY "createdAt" DESC, "topicId" DESC, "seq" DESC OFFSET 0) f
   WHERE (SELECT m."deletedAt" IS NULL AND m."bodySeq" <= w."seq" FROM "messages" m
     JOIN "searchWatermarks" w ON w."topicId" = m."topicId"
     JOIN "channels" c ON c."topicId" = m."topicId"
     WHERE m."topicId" = f."topicId" AND m."seq" = f."seq") LIMIT :limit`;

const ALL = `SELECT "topicId", "seq", "createdAt" FROM "searchDocuments" WHERE "tokens" @@ :query::tsquery`;
const IN_TOPIC = `AND "topicId" = :topicId`;

/** A GIN index has no order, so a common word costs as much as there are messages with it. */
export const matchAll = postgresOnly<{ query: string; limit: number }, DatedMatch>(matching(ALL));
export const matchAllInTopic = postgresOnly<
  { query: string; topicId: number; limit: number },
  DatedMatch
>(matching(`${ALL} ${IN_TOPIC}`));

const newest = (where: string, order: string): string =>
  `SELECT "topicId", "seq", "createdAt" FROM (
     SELECT * FROM "searchDocuments" ${where} ORDER BY ${order} LIMIT :window) AS "newest"
   WHERE "tokens" @@ :query::tsquery`;

/** Searches only the newest documents, which costs the same for every word and every history. */
export const matchNewest = postgresOnly<
  { query: string; limit: number; window: number },
  DatedMatch
>(matching(newest('', '"createdAt" DESC, "topicId" DESC, "seq" DESC')));
export const matchNewestInTopic = postgresOnly<
  { query: string; topicId: number; limit: number; window: number },
  DatedMatch
>(matching(newest('WHERE "topicId" = :topicId', '"seq" DESC')));
