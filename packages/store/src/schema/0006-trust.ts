import type { Migration } from './migration.js';

const tables = (_t: { clustered: string; big: string; text: string }): string => `
`;

/** What safe boundaries between people and agents need. */
export const trust: Migration = {
  version: 6,
  name: 'trust',
  sqlite: tables({ clustered: ' WITHOUT ROWID', big: 'INTEGER', text: 'TEXT' }),
  postgres: tables({ clustered: '', big: 'BIGINT', text: 'TEXT COLLATE "C"' }),
};
