import { StoaError } from '@stoa/protocol';

/** A numbered, immutable step of the schema. A released one is never edited; a new one is added. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}

/** The steps from the found version to the newest one; refuses data of a newer Stoa. */
export function planMigration(found: number, known: readonly Migration[]): readonly Migration[] {
  const newest = known.length;
  if (found > newest) {
    throw new StoaError(
      'schema_too_new',
      `The data has schema version ${String(found)}; this program knows up to ${String(newest)}. Use a Stoa that knows version ${String(found)}.`,
    );
  }
  return known.filter((migration) => migration.version > found);
}

export function migrationFailure(migration: Migration, cause: unknown): StoaError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoaError(
    'migration_failed',
    `Migration ${String(migration.version)} (${migration.name}) failed and was undone: ${why}`,
    [],
    { cause },
  );
}
