import { randomBytes } from 'node:crypto';
import { copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { type Backup, StoaError } from '@stoa/protocol';
import type { Store } from '@stoa/store';
import { asStorageError } from '../assets/storage-error.js';

/**
 * A directory that is a data directory: the database as one file, and the assets. It has its final
 * name only when it is complete. The token stays behind: a copy gives nobody access.
 */
export async function writeBackup(
  home: string,
  store: Store,
  directory: string | undefined,
): Promise<Backup> {
  const started = performance.now();
  const target = directory ?? join(home, 'backups', stampedName(new Date()));
  if (!isAbsolute(target))
    throw new StoaError('invalid_request', 'Give the directory of the backup as an absolute path');
  const partial = `${target}.partial-${randomBytes(4).toString('hex')}`;
  try {
    await assertAbsent(target);
    await mkdir(partial, { recursive: true, mode: 0o700 });
    await store.backupTo(join(partial, 'stoa.db'));
    await copyAssets(join(home, 'assets'), join(partial, 'assets'));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(partial, target);
  } catch (error) {
    // What went wrong first is what is told.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw asStorageError(error);
  }
  return {
    path: target,
    bytes: await sizeOf(target),
    durationMs: Math.round(performance.now() - started),
  };
}

const stampedName = (now: Date): string => now.toISOString().replace(/[:.]/g, '-');

async function assertAbsent(path: string): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new StoaError('invalid_request', `${path} exists already`);
}

/** Asset files never change, so a second name for the same bytes is as good as a copy. */
async function copyAssets(from: string, to: string): Promise<void> {
  for (const path of await filesBelow(from)) {
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await link(join(from, path), target).catch(() => copyFile(join(from, path), target));
  }
}

async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

async function sizeOf(root: string): Promise<number> {
  let bytes = 0;
  for (const path of await filesBelow(root)) bytes += (await stat(join(root, path))).size;
  return bytes;
}
