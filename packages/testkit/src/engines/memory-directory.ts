import { existsSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const NEEDED = 4 * 1024 ** 3;

/**
 * A directory whose files do not reach a disk, where the system has one with room for all of a test run.
 * For data that only has to survive a process: to sync it costs nothing there.
 */
export function memoryDirectory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED ? MEMORY : undefined;
}
