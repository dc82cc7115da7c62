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
  /** Null for those that are good until they are revoked. */
  expiresAt: number | null;
  revokedAt: number | null;
}

export const findHuman = statement<{ humanId: string }, HumanRow>(
  `SELECT * FROM "humans" WHERE "humanId" = :humanId`,
);

/** Everybody known here: there are no more of them than credentials. */
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

/** Hot. A token that is revoked or expired is not found; the role of a human comes with it. */
export const findTokenByHash = statement<{ hash: string; now: number }, ActiveCredentialRow>(
  activeCredential(`c."hash" = :hash AND c."kind" <> 'browser'`),
);

/** Hot. */
export const findBrowserLogin = statement<
  { credentialId: string; now: number },
  ActiveCredentialRow
>(activeCredential(`c."credentialId" = :credentialId AND c."kind" = 'browser'`));

/** Tokens whose digest lies between the two. */
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

/** Those that still open something first, so that no number of revoked ones hides them. */
export const listCredentials = statement<{ now: number; limit: number }, CredentialRow>(
  `SELECT * FROM "credentials" WHERE "principalKind" = 'human'
   ORDER BY CASE WHEN ${ACTIVE} THEN 0 ELSE 1 END, "createdAt" DESC, "credentialId" DESC LIMIT :limit`,
);

/** Without owner tokens: each data directory has one, and must always get it. */
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

/** A token file that was put back brings its token back. */
export const deleteRevokedCredential = statement<{ hash: string }>(
  `DELETE FROM "credentials" WHERE "hash" = :hash AND "revokedAt" IS NOT NULL`,
);

export interface LoginCodeRow {
  hash: string;
  humanId: string;
  /** The credential that asked for the code; null when the daemon itself made it. */
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

/** Takes the code away and tells whose it was: used once, by whoever comes first. */
export const takeLoginCode = statement<{ hash: string }, LoginCodeRow>(
  `DELETE FROM "loginCodes" WHERE "hash" = :hash RETURNING "hash", "humanId", "credentialId", "expiresAt"`,
);

export const deleteLoginCodesOf = statement<{ credentialId: string }>(
  `DELETE FROM "loginCodes" WHERE "credentialId" = :credentialId`,
);

export const deleteLoginCodesExpiredBefore = statement<{ before: number }>(
  `DELETE FROM "loginCodes" WHERE "expiresAt" < :before`,
);

/** All of one human but the one just made and the newest others. The clock may have gone back. */
export const deleteOlderLoginCodes = statement<{ humanId: string; hash: string; others: number }>(
  `DELETE FROM "loginCodes" WHERE "hash" IN (
     SELECT "hash" FROM (
       SELECT l."hash", row_number() OVER (ORDER BY l."expiresAt" DESC, l."hash") AS "rank"
       FROM "loginCodes" l WHERE l."humanId" = :humanId AND l."hash" <> :hash) AS "ranked"
     WHERE "rank" > :others)`,
);
