import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory, and those above it that are missing, for this user's eyes only. Not with `recursive` of Node:
 * where nobody can make one though nothing forbids it, as below /proc, that tries again for ever (Node 20).
 */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const directory of missing) {
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      // Somebody else has just made it; a link that leads nowhere says the same.
      if (!isDirectory(directory)) throw error;
    }
  }
  if (!isDirectory(path)) throw new Error(`ENOTDIR: ${path} is not a directory`);
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
