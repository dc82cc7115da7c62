import { locking, statement } from '../sql/statement.js';

export interface AssetRow {
  assetId: string;
  digest: string;
  mediaType: string;
  bytes: number;
  name: string | null;
  createdBy: string;
  createdAt: number;
  /** Null while something refers to it; otherwise since when nothing does, or when it was last uploaded. */
  unusedSince: number | null;
}

const BY_ID = `SELECT * FROM "assets" WHERE "assetId" = :assetId`;

export const findAsset = statement<{ assetId: string }, AssetRow>(BY_ID);

/**
 * Prevents the collection of the asset until the message that refers to it is committed. The same transaction marks
 * it as used, so a shared lock would let two transactions deadlock.
 */
export const holdAsset = statement<{ assetId: string }, AssetRow>(locking(BY_ID, 'FOR UPDATE'));

const BY_DIGEST = `SELECT * FROM "assets" WHERE "digest" = :digest`;

export const findAssetByDigest = statement<{ digest: string }, AssetRow>(BY_DIGEST);

/** Bytes that are uploaded again count as new, unless something refers to them. */
export const renewAsset = statement<{ digest: string; at: number }>(
  `UPDATE "assets" SET "unusedSince" = :at WHERE "digest" = :digest AND "unusedSince" IS NOT NULL`,
);

export const insertAsset = statement<AssetRow>(
  `INSERT INTO "assets" ("assetId", "digest", "mediaType", "bytes", "name", "createdBy", "createdAt", "unusedSince")
   VALUES (:assetId, :digest, :mediaType, :bytes, :name, :createdBy, :createdAt, :unusedSince)`,
);

const UNUSED = `NOT EXISTS (SELECT 1 FROM "pins" p WHERE p."assetId" = "assets"."assetId")
  AND NOT EXISTS (SELECT 1 FROM "attachments" u WHERE u."assetId" = "assets"."assetId")
  AND NOT EXISTS (SELECT 1 FROM "boardRevisions" b WHERE b."assetId" = "assets"."assetId")`;

const LOCK = `${BY_ID} FOR UPDATE`;

export const markAssetUsed = statement<{ assetId: string }>(
  `UPDATE "assets" SET "unusedSince" = NULL WHERE "assetId" = :assetId AND "unusedSince" IS NOT NULL`,
);

const RELEASE = `UPDATE "assets" SET "unusedSince" = :at WHERE "assetId" = :assetId AND ${UNUSED}`;

/** Called when a reference is removed: after the last one, the asset is unused from `at` on. */
export const releaseAsset = statement<{ assetId: string; at: number }>({
  sqlite: RELEASE,
  postgres: RELEASE,
  lock: LOCK,
});

const DELETE_UNUSED = `DELETE FROM "assets"
  WHERE "assetId" = :assetId AND "unusedSince" < :before AND ${UNUSED}`;

/** Deletes the asset only if it has been unused since `before`. No changed row means that it is in use again. */
export const deleteUnusedAsset = statement<{ assetId: string; before: number }>({
  sqlite: DELETE_UNUSED,
  postgres: DELETE_UNUSED,
  lock: LOCK,
});

export const listUnusedAssets = statement<{ before: number; limit: number }, AssetRow>(
  `SELECT * FROM "assets" WHERE "unusedSince" < :before ORDER BY "unusedSince" LIMIT :limit`,
);

type Attachment = { assetId: string; topicId: number; messageId: string };

export const insertAttachment = statement<Attachment>(
  `INSERT INTO "attachments" ("assetId", "topicId", "messageId") VALUES (:assetId, :topicId, :messageId)
   ON CONFLICT DO NOTHING`,
);

export const deleteAttachments = statement<{ topicId: number; messageId: string }>(
  `DELETE FROM "attachments" WHERE "topicId" = :topicId AND "messageId" = :messageId`,
);

export const listAttachments = statement<
  { topicId: number; messageId: string },
  { assetId: string }
>(
  `SELECT "assetId" FROM "attachments" WHERE "topicId" = :topicId AND "messageId" = :messageId
   ORDER BY "assetId"`,
);

/** Whether a message of a channel refers to it. */
export const findAttachment = statement<
  { topicId: number; assetId: string },
  { messageId: string }
>(
  `SELECT "messageId" FROM "attachments" WHERE "assetId" = :assetId AND "topicId" = :topicId LIMIT 1`,
);

export const listPins = statement<{ topicId: number }, { assetId: string }>(
  `SELECT "assetId" FROM "pins" WHERE "topicId" = :topicId ORDER BY "seq"`,
);

export const findPin = statement<{ topicId: number; assetId: string }, { seq: number }>(
  `SELECT "seq" FROM "pins" WHERE "topicId" = :topicId AND "assetId" = :assetId`,
);

export const insertPin = statement<{ topicId: number; assetId: string; seq: number }>(
  `INSERT INTO "pins" ("topicId", "assetId", "seq") VALUES (:topicId, :assetId, :seq)`,
);

export const deletePin = statement<{ topicId: number; assetId: string }>(
  `DELETE FROM "pins" WHERE "topicId" = :topicId AND "assetId" = :assetId`,
);
