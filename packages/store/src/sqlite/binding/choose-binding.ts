import { StoaError } from '@stoa/protocol';
import { isAtLeast, isSafeSqlite, OLDEST_SAFE_SQLITE } from './versions.js';

export type BindingName = 'node:sqlite' | 'better-sqlite3';

export interface Runtime {
  /** The version of Node. */
  readonly node: string;
  /** The version of SQLite in `node:sqlite`; undefined if Node has none, or only behind a flag. */
  readonly builtin: string | undefined;
}

/** The first Node with `node:sqlite` and no flag. */
const FIRST_WITH_SQLITE = '22.13.0';

/**
 * better-sqlite3 12, compiled for this Node or a newer one, aborts the process when a statement is garbage-collected.
 */
const FIRST_WITHOUT_BETTER_SQLITE = '24.19.0';

/**
 * Chooses Node's own SQLite, which needs no compiler, if it is safe to use, and the package otherwise.
 * scripts/install.mjs decides the same before the installation.
 */
export function chooseBinding({ node, builtin }: Runtime): BindingName {
  const hasOwn = builtin !== undefined && isAtLeast(node, FIRST_WITH_SQLITE);
  if (hasOwn && isSafeSqlite(builtin)) return 'node:sqlite';
  if (!isAtLeast(node, FIRST_WITHOUT_BETTER_SQLITE)) return 'better-sqlite3';
  const found = builtin === undefined ? 'no SQLite' : `SQLite ${builtin}, which can corrupt data`;
  throw new StoaError(
    'sqlite_too_old',
    `Node ${node} has ${found}; ${OLDEST_SAFE_SQLITE} or newer is needed, and better-sqlite3 does not work on this Node. Install Node from nodejs.org, whose SQLite is newer.`,
  );
}

/** Why better-sqlite3 is needed here, for the message that it does not load. */
export function whyNotBuiltin({ node, builtin }: Runtime): string {
  return builtin === undefined
    ? `Node ${node} has no SQLite of its own`
    : `Node ${node} has SQLite ${builtin}, and ${OLDEST_SAFE_SQLITE} or newer is needed`;
}
