import { verb } from '../sql/verb.js';

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
  revokedAt: number | null;
}

export const findHuman = verb<{ humanId: string }, HumanRow>(
  `SELECT * FROM "humans" WHERE "humanId" = :humanId`,
);

export const insertHuman = verb<HumanRow>(
  `INSERT INTO "humans" ("humanId", "displayName", "role", "createdAt")
   VALUES (:humanId, :displayName, :role, :createdAt)`,
);

/** Hot. A revoked credential is not found; the role of a human comes with it. */
export const findCredentialByHash = verb<
  { hash: string },
  { credentialId: string; principalKind: string; principalId: string; role: string | null }
>(
  `SELECT c."credentialId", c."principalKind", c."principalId", h."role" FROM "credentials" c
   LEFT JOIN "humans" h ON c."principalKind" = 'human' AND h."humanId" = c."principalId"
   WHERE c."hash" = :hash AND c."revokedAt" IS NULL`,
);

export const findCredential = verb<{ credentialId: string }, CredentialRow>(
  `SELECT * FROM "credentials" WHERE "credentialId" = :credentialId`,
);

export const insertCredential = verb<Omit<CredentialRow, 'revokedAt'>>(
  `INSERT INTO "credentials" ("credentialId", "kind", "name", "principalKind", "principalId", "hash", "createdAt")
   VALUES (:credentialId, :kind, :name, :principalKind, :principalId, :hash, :createdAt)`,
);

export const revokeCredential = verb<{ credentialId: string; at: number }>(
  `UPDATE "credentials" SET "revokedAt" = :at WHERE "credentialId" = :credentialId AND "revokedAt" IS NULL`,
);

/** Revokes earlier owner tokens of this data directory when the token file was replaced. */
export const listActiveCredentials = verb<{ kind: string }, CredentialRow>(
  `SELECT * FROM "credentials" WHERE "kind" = :kind AND "revokedAt" IS NULL
   ORDER BY "createdAt", "credentialId"`,
);

export const listCredentials = verb<object, CredentialRow>(
  `SELECT * FROM "credentials" WHERE "principalKind" = 'human' ORDER BY "createdAt" DESC, "credentialId" DESC LIMIT 1000`,
);

export const countActiveCredentials = verb<object, { count: number }>(
  `SELECT count(*) AS "count" FROM "credentials" WHERE "revokedAt" IS NULL`,
);

export const deleteCredentialsRevokedBefore = verb<{ before: number }>(
  `DELETE FROM "credentials" WHERE "revokedAt" < :before`,
);

/** A token file that was put back brings its token back. */
export const deleteRevokedCredential = verb<{ hash: string }>(
  `DELETE FROM "credentials" WHERE "hash" = :hash AND "revokedAt" IS NOT NULL`,
);

export const insertLoginCode = verb<{ hash: string; humanId: string; expiresAt: number }>(
  `INSERT INTO "loginCodes" ("hash", "humanId", "expiresAt") VALUES (:hash, :humanId, :expiresAt)`,
);

/** Takes the code away and tells whose it was: used once, by whoever comes first. */
export const takeLoginCode = verb<{ hash: string }, { humanId: string; expiresAt: number }>(
  `DELETE FROM "loginCodes" WHERE "hash" = :hash RETURNING "humanId", "expiresAt"`,
);

export const deleteLoginCodesExpiredBefore = verb<{ before: number }>(
  `DELETE FROM "loginCodes" WHERE "expiresAt" < :before`,
);

/** All of one human but the newest. */
export const deleteOlderLoginCodes = verb<{ humanId: string; keep: number }>(
  `DELETE FROM "loginCodes" WHERE "humanId" = :humanId AND "expiresAt" <=
     (SELECT l."expiresAt" FROM "loginCodes" l WHERE l."humanId" = :humanId
      ORDER BY l."expiresAt" DESC LIMIT 1 OFFSET :keep)`,
);
