import { statement } from '../sql/statement.js';

export interface IdempotencyRow {
  actorId: string;
  key: string;
  fingerprint: string;
  topicId: number;
  seq: number;
  at: number;
}

/** The answer is rebuilt from the event that the key produced, so nothing is stored twice. */
export const findIdempotencyKey = statement<{ actorId: string; key: string }, IdempotencyRow>(
  `SELECT * FROM "idempotencyKeys" WHERE "actorId" = :actorId AND "key" = :key`,
);

export const insertIdempotencyKey = statement<IdempotencyRow>(
  `INSERT INTO "idempotencyKeys" ("actorId", "key", "fingerprint", "topicId", "seq", "at")
   VALUES (:actorId, :key, :fingerprint, :topicId, :seq, :at)`,
);

export const deleteIdempotencyKeysBefore = statement<{ before: number; limit: number }>(
  `DELETE FROM "idempotencyKeys" WHERE ("actorId", "key") IN (
     SELECT "actorId", "key" FROM "idempotencyKeys" WHERE "at" < :before LIMIT :limit)`,
);
