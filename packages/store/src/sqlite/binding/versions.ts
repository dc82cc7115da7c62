/** Before 3.51.3 a WAL reset could corrupt the database. */
export const OLDEST_SAFE_SQLITE = '3.51.3';

export const isSafeSqlite = (version: string): boolean => isAtLeast(version, OLDEST_SAFE_SQLITE);

/** Compares versions of numbers only, such as 22.13.0. */
export function isAtLeast(version: string, needed: string): boolean {
  const found = version.split('.').map((part) => Number.parseInt(part, 10));
  const least = needed.split('.').map(Number);
  for (let i = 0; i < least.length; i++) {
    const difference = (found[i] ?? 0) - (least[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
