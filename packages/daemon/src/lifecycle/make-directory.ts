import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and its missing parents, readable by this user only. Not with `recursive` of Node: if creation
 * fails although nothing forbids it, as below /proc, Node 20 retries forever.
 */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const directory of missing) {
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      // Another process has just created it; a dangling link causes the same error.
      if (!isDirectory(directory)) throw error;
    }
  }
  if (!isDirectory(path)) throw new Error(`ENOTDIR: ${path} is not a directory`);
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
