import { existsSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const NEEDED = 4 * 1024 ** 3;

/**
 * A directory whose files do not reach a disk, where the system has one with room for all of a test run.
 * For data that only has to survive a process: to sync it costs nothing there. The runner of the tests names a directory in
 * it that is removed with the run.
 */
export function memoryDirectory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED ? (process.env['STOA_TEST_MEMORY'] ?? MEMORY) : undefined;
}
