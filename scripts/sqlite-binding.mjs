// Which SQLite this Node uses. The program decides it in packages/store/src/sqlite/binding/choose-binding.ts, which
// cannot be read before anything is built; a test there holds the two against each other.
import { isBuiltin } from 'node:module';

const oldestSafeSqlite = '3.51.3';
const firstWithSqlite = '22.13.0';
const firstWithoutBetterSqlite = '24.19.0';

/** `undefined`: none, and the program says why when it starts. */
export function sqliteBinding({ node, builtin } = thisRuntime()) {
  const hasOwn = builtin !== undefined && isAtLeast(node, firstWithSqlite);
  if (hasOwn && isAtLeast(builtin, oldestSafeSqlite)) return 'node:sqlite';
  return isAtLeast(node, firstWithoutBetterSqlite) ? undefined : 'better-sqlite3';
}

function thisRuntime() {
  const { node, sqlite } = process.versions;
  return { node, builtin: isBuiltin('node:sqlite') ? sqlite : undefined };
}

function isAtLeast(version, needed) {
  const found = version.split('.').map((part) => Number.parseInt(part, 10));
  const least = needed.split('.').map(Number);
  const at = least.findIndex((part, i) => (found[i] ?? 0) !== part);
  return at === -1 || (found[at] ?? 0) > least[at];
}
