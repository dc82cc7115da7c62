import type { Migration } from './migration.js';

/** A cookie of an earlier version proves nothing any more: its login ends. */
const browserLogins = `
UPDATE "credentials" SET "revokedAt" = "createdAt" WHERE "kind" = 'browser' AND "revokedAt" IS NULL;
`;

const tables = (_t: { clustered: string; big: string; text: string }): string => `
${browserLogins}
`;

/** What safe boundaries between people and agents need. */
export const trust: Migration = {
  version: 6,
  name: 'trust',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
