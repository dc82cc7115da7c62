import { statement } from '../sql/statement.js';

export interface HumanRow {
  humanId: string;
  displayName: string;
  role: string;
  createdAt: number;
}

export interface CredentialRow {
  credentialId: string;
  kind: string;
  name: string;
  principalKind: string;
  principalId: string;
  hash: string;
  createdAt: number;
  /** Null if it is valid until it is revoked. */
  expiresAt: number | null;
  revokedAt: number | null;
}

export const findHuman = statement<{ humanId: string }, HumanRow>(
  `SELECT * FROM "humans" WHERE "humanId" = :humanId`,
);

/** Every person known here; there are at most as many as credentials. */
export const listHumans = statement<object, Pick<HumanRow, 'humanId' | 'displayName'>>(
  `SELECT "humanId", "displayName" FROM "humans" ORDER BY "humanId"`,
);

export const insertHuman = statement<HumanRow>(
  `INSERT INTO "humans" ("humanId", "displayName", "role", "createdAt")
   VALUES (:humanId, :displayName, :role, :createdAt)`,
);

const ACTIVE = `"revokedAt" IS NULL AND ("expiresAt" IS NULL OR "expiresAt" > :now)`;

export interface ActiveCredentialRow {
  credentialId: string;
  principalKind: string;
  principalId: string;
  hash: string;
  role: string | null;
}

const activeCredential = (condition: string): string =>
  `SELECT c."credentialId", c."principalKind", c."principalId", c."hash", h."role" FROM "credentials" c
   LEFT JOIN "humans" h ON c."principalKind" = 'human' AND h."humanId" = c."principalId"
   WHERE ${condition} AND ${ACTIVE}`;

/** Hot. Does not find tokens that are revoked or expired. Returns the role of the human too. */
export const findTokenByHash = statement<{ hash: string; now: number }, ActiveCredentialRow>(
  activeCredential(`c."hash" = :hash AND c."kind" <> 'browser'`),
);

/** Hot. */
export const findBrowserLogin = statement<
  { credentialId: string; now: number },
  ActiveCredentialRow
>(activeCredential(`c."credentialId" = :credentialId AND c."kind" = 'browser'`));

/** Tokens with a digest between the two. */
export const listTokensBetween = statement<
  { from: string; to: string; now: number; limit: number },
  ActiveCredentialRow
>(
  `${activeCredential(`c."hash" >= :from AND c."hash" <= :to AND c."kind" <> 'browser'`)}
   ORDER BY c."hash" LIMIT :limit`,
);

export const findCredential = statement<{ credentialId: string }, CredentialRow>(
  `SELECT * FROM "credentials" WHERE "credentialId" = :credentialId`,
);

export const insertCredential = statement<Omit<CredentialRow, 'revokedAt'>>(
  `INSERT INTO "credentials" ("credentialId", "kind", "name", "principalKind", "principalId", "hash", "createdAt", "expiresAt")
   VALUES (:credentialId, :kind, :name, :principalKind, :principalId, :hash, :createdAt, :expiresAt)`,
);

export const revokeCredential = statement<{ credentialId: string; at: number }>(
  `UPDATE "credentials" SET "revokedAt" = :at WHERE "credentialId" = :credentialId AND "revokedAt" IS NULL`,
);

/** Of all principals, oldest first. */
export const listActiveCredentials = statement<{ kind: string; now: number }, CredentialRow>(
  `SELECT * FROM "credentials" WHERE "kind" = :kind AND ${ACTIVE}
   ORDER BY "createdAt", "credentialId"`,
);

/** The browser logins of one human, oldest first. */
export const listBrowserLogins = statement<{ humanId: string; now: number }, CredentialRow>(
  `SELECT * FROM "credentials" WHERE "principalKind" = 'human' AND "principalId" = :humanId
     AND "kind" = 'browser' AND ${ACTIVE} ORDER BY "createdAt", "credentialId"`,
);

/** Valid ones first, so that revoked ones cannot hide them. */
export const listCredentials = statement<{ now: number; limit: number }, CredentialRow>(
  `SELECT * FROM "credentials" WHERE "principalKind" = 'human'
   ORDER BY CASE WHEN ${ACTIVE} THEN 0 ELSE 1 END, "createdAt" DESC, "credentialId" DESC LIMIT :limit`,
);

/** Without owner tokens: each data directory must always get its own. */
export const countActiveCredentials = statement<{ now: number }, { count: number }>(
  `SELECT count(*) AS "count" FROM "credentials" WHERE "kind" <> 'owner_token' AND ${ACTIVE}`,
);

/** Expired and not revoked yet. */
export const listExpiredCredentials = statement<
  { now: number; limit: number },
  { credentialId: string }
>(
  `SELECT "credentialId" FROM "credentials" WHERE "expiresAt" <= :now AND "revokedAt" IS NULL
   ORDER BY "expiresAt" LIMIT :limit`,
);

export const deleteCredentialsRevokedBefore = statement<{ before: number }>(
  `DELETE FROM "credentials" WHERE "revokedAt" < :before`,
);

/** Makes the token of a restored token file valid again. */
export const deleteRevokedCredential = statement<{ hash: string }>(
  `DELETE FROM "credentials" WHERE "hash" = :hash AND "revokedAt" IS NOT NULL`,
);

export interface LoginCodeRow {
  hash: string;
  humanId: string;
  /** The credential that requested the code; null if the daemon made it. */
  credentialId: string | null;
  expiresAt: number;
}

export const insertLoginCode = statement<LoginCodeRow>(
  `INSERT INTO "loginCodes" ("hash", "humanId", "credentialId", "expiresAt")
   VALUES (:hash, :humanId, :credentialId, :expiresAt)`,
);

export const findLoginCode = statement<
  { hash: string; now: number },
  LoginCodeRow & { displayName: string | null }
>(
  `SELECT l."hash", l."humanId", l."credentialId", l."expiresAt", h."displayName" FROM "loginCodes" l
   LEFT JOIN "humans" h ON h."humanId" = l."humanId"
   WHERE l."hash" = :hash AND l."expiresAt" > :now`,
);

/** Deletes the code and returns its owner, so that a code works once. */
export const takeLoginCode = statement<{ hash: string }, LoginCodeRow>(
  `DELETE FROM "loginCodes" WHERE "hash" = :hash RETURNING "hash", "humanId", "credentialId", "expiresAt"`,
);

export const deleteLoginCodesOf = statement<{ credentialId: string }>(
  `DELETE FROM "loginCodes" WHERE "credentialId" = :credentialId`,
);

export const deleteLoginCodesExpiredBefore = statement<{ before: number }>(
  `DELETE FROM "loginCodes" WHERE "expiresAt" < :before`,
);

/** Deletes all codes of a human except this one and the newest others. The clock may have gone back. */
export const deleteOlderLoginCodes = statement<{ humanId: string; hash: string; others: number }>(
  `DELETE FROM "loginCodes" WHERE "hash" IN (
     SELECT "hash" FROM (
       SELECT l."hash", row_number() OVER (ORDER BY l."expiresAt" DESC, l."hash") AS "rank"
       FROM "loginCodes" l WHERE l."humanId" = :humanId AND l."hash" <> :hash) AS "ranked"
     WHERE "rank" > :others)`,
);
