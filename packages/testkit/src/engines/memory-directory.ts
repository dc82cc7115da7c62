import { existsSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const NEEDED = 4 * 1024 ** 3;

/**
 * A directory in memory, if the system has one with enough space for a test run. For data that only has to survive a process: a sync
 * costs nothing there. The test runner names a directory in it, which it removes after the run.
 */
export function memoryDirectory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED ? (process.env['STOA_TEST_MEMORY'] ?? MEMORY) : undefined;
}
