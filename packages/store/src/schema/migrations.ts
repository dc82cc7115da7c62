import * as nouns from '../nouns.js';
import type { Migration } from './migration.js';

/** The migrations of all nouns, in the order of their versions. */
export const MIGRATIONS: readonly Migration[] = Object.values<unknown>(nouns)
  .filter(isMigration)
  .sort((a, b) => a.version - b.version);

const missing = MIGRATIONS.findIndex(({ version }, index) => version !== index + 1);
if (missing !== -1) throw new Error(`Not exactly one migration has version ${missing + 1}`);

function isMigration(value: unknown): value is Migration {
  return typeof value === 'object' && value !== null && 'version' in value && 'sqlite' in value;
}
