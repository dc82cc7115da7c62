import { locking, verb } from '../sql/verb.js';

export interface AssetRow {
  assetId: string;
  digest: string;
  mediaType: string;
  bytes: number;
  name: string | null;
  createdBy: string;
  createdAt: number;
}

const BY_ID = `SELECT * FROM "assets" WHERE "assetId" = :assetId`;

export const findAsset = verb<{ assetId: string }, AssetRow>(BY_ID);

/** Keeps the asset from being collected until the message that refers to it is committed. */
export const holdAsset = verb<{ assetId: string }, AssetRow>(locking(BY_ID, 'FOR SHARE'));

export const findAssetByDigest = verb<{ digest: string }, AssetRow>(
  `SELECT * FROM "assets" WHERE "digest" = :digest`,
);

export const insertAsset = verb<AssetRow>(
  `INSERT INTO "assets" ("assetId", "digest", "mediaType", "bytes", "name", "createdBy", "createdAt")
   VALUES (:assetId, :digest, :mediaType, :bytes, :name, :createdBy, :createdAt)`,
);

const UNUSED = `NOT EXISTS (SELECT 1 FROM "pins" p WHERE p."assetId" = "assets"."assetId")
  AND NOT EXISTS (SELECT 1 FROM "attachments" u WHERE u."assetId" = "assets"."assetId")`;

const DELETE_UNUSED = `DELETE FROM "assets" WHERE "assetId" = :assetId AND ${UNUSED}`;

/** Deletes only what nothing refers to; no row changed means it is in use. */
export const deleteUnusedAsset = verb<{ assetId: string }>({
  sqlite: DELETE_UNUSED,
  postgres: DELETE_UNUSED,
  lock: `${BY_ID} FOR UPDATE`,
});

export const listUnusedAssets = verb<{ before: number; limit: number }, AssetRow>(
  `SELECT * FROM "assets" WHERE "createdAt" < :before AND ${UNUSED} ORDER BY "createdAt" LIMIT :limit`,
);

type Attachment = { assetId: string; topicId: number; messageId: string };

export const insertAttachment = verb<Attachment>(
  `INSERT INTO "attachments" ("assetId", "topicId", "messageId") VALUES (:assetId, :topicId, :messageId)
   ON CONFLICT DO NOTHING`,
);

export const deleteAttachments = verb<{ topicId: number; messageId: string }>(
  `DELETE FROM "attachments" WHERE "topicId" = :topicId AND "messageId" = :messageId`,
);

export const listPins = verb<{ topicId: number }, { assetId: string }>(
  `SELECT "assetId" FROM "pins" WHERE "topicId" = :topicId ORDER BY "seq"`,
);

export const findPin = verb<{ topicId: number; assetId: string }, { seq: number }>(
  `SELECT "seq" FROM "pins" WHERE "topicId" = :topicId AND "assetId" = :assetId`,
);

export const insertPin = verb<{ topicId: number; assetId: string; seq: number }>(
  `INSERT INTO "pins" ("topicId", "assetId", "seq") VALUES (:topicId, :assetId, :seq)`,
);

export const deletePin = verb<{ topicId: number; assetId: string }>(
  `DELETE FROM "pins" WHERE "topicId" = :topicId AND "assetId" = :assetId`,
);
