import { randomBytes } from 'node:crypto';
import { copyFile, link, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Backup, StoaError } from '@stoa/protocol';
import type { Store } from '@stoa/store';
import { asStorageError } from '../assets/storage-error.js';
import { makeDirectory } from './make-directory.js';

/**
 * Writes a directory that is a data directory: the database as one file, the assets, and the files of memories. It
 * gets its final name only when it is complete. It has no token, so that a copy gives nobody access.
 */
export async function writeBackup(
  home: string,
  store: Store,
  directory: string | undefined,
): Promise<Backup> {
  const started = performance.now();
  if (directory !== undefined && !isAbsolute(directory))
    throw new StoaError('invalid_request', 'Give the directory of the backup as an absolute path');
  // Without a trailing slash: the partial copy is written beside it, not in it.
  const target = resolve(directory ?? join(home, 'backups', stampedName(new Date())));
  const partial = `${target}.partial-${randomBytes(4).toString('hex')}`;
  try {
    await assertAbsent(target);
    makeDirectory(partial);
    await store.backupTo(join(partial, 'stoa.db'));
    await copyAssets(join(home, 'assets'), join(partial, 'assets'));
    await copyMemories(join(home, 'memory'), join(partial, 'memory'));
    const bytes = await sizeOf(partial);
    await rename(partial, target);
    return { path: target, bytes, durationMs: Math.round(performance.now() - started) };
  } catch (error) {
    // Report the first error.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw asBackupError(error, target);
  }
}

/** A store that copies itself knows only that a disk is full: it is that of the backup. */
function asBackupError(error: unknown, directory: string): unknown {
  const target = `the backup ${directory}`;
  return error instanceof StoaError && error.code === 'storage_full'
    ? new StoaError('storage_full', `The disk of ${target} is full`, [], { cause: error })
    : asStorageError(error, target);
}

const stampedName = (now: Date): string => now.toISOString().replace(/[:.]/g, '-');

async function assertAbsent(path: string): Promise<void> {
  if (await exists(path)) throw new StoaError('invalid_request', `${path} exists already`);
}

/** Asset files never change, so a hard link is as good as a copy. */
async function copyAssets(from: string, to: string): Promise<void> {
  for (const path of await filesBelow(from)) {
    const [source, target] = [join(from, path), join(to, path)];
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    try {
      await link(source, target).catch(() => copyFile(source, target));
    } catch (error) {
      // A file that was removed after the listing is no longer part of the data.
      if (await exists(source)) throw error;
    }
  }
}

/** People edit them in target, so they must be copied. */
async function copyMemories(from: string, to: string): Promise<void> {
  for (const path of await filesBelow(from)) {
    const [source, target] = [join(from, path), join(to, path)];
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyFile(source, target).catch(async (error: unknown) => {
      if (await exists(source)) throw error;
    });
  }
}

async function filesBelow(root: string): Promise<string[]> {
  if (!(await exists(root))) return [];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** Throws unless it is absent: a file that cannot be checked may exist. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

async function sizeOf(root: string): Promise<number> {
  let bytes = 0;
  for (const path of await filesBelow(root)) bytes += (await stat(join(root, path))).size;
  return bytes;
}
