import { randomBytes } from 'node:crypto';
import { constants, promises as fs, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LocatedPath, PathGuard } from '../paths.js';
import { ToolFailure } from '../tool-failure.js';

export const SNIFFED_BYTES = 4_096;
/** Limit for edited files: they are held in memory and compared. */
const EDITED_BYTES = 8 * 1024 * 1024;

export interface TextFile {
  readonly text: string;
  readonly mode: number;
}

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

/** Reads a complete text file; undefined if it does not exist. */
export async function readTextFile(
  paths: PathGuard,
  located: LocatedPath,
): Promise<TextFile | undefined> {
  let handle: fs.FileHandle;
  try {
    handle = await paths.openFile(located, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size, mode } = await handle.stat();
    if (size > EDITED_BYTES) {
      throw new ToolFailure(
        `${located.given} has ${size} bytes; at most ${EDITED_BYTES} are edited`,
      );
    }
    const bytes = await handle.readFile();
    if (isBinary(bytes)) throw new ToolFailure(`${located.given} is a binary file`);
    return { text: decode(bytes, located.given), mode: mode & 0o7777 };
  } finally {
    await handle.close();
  }
}

/** A file that is not UTF-8 is not edited, because decoding would change its bytes. */
function decode(bytes: Uint8Array, given: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolFailure(`${given} is not UTF-8 text`);
  }
}

/** Replaces a file atomically. Keeps its mode and, if permitted, its owner. */
export async function writeTextFile(
  paths: PathGuard,
  located: LocatedPath,
  text: string,
): Promise<void> {
  const directory = await paths.openDirectory(located, dirname(located.path), { create: true });
  const name = basename(located.path);
  const temporary = directory.at(`.${name.slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const replaced = await plainFileAt(directory.at(name), located.given);
    const handle = await fs.open(temporary, NEW_FILE, 0o666);
    try {
      await handle.writeFile(text);
      if (replaced) await takeOver(handle, replaced);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, directory.at(name));
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  } finally {
    await directory.close();
  }
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

async function plainFileAt(path: string, given: string): Promise<Stats | undefined> {
  try {
    const stats = await fs.lstat(path);
    if (stats.isFile()) return stats;
    throw new ToolFailure(
      stats.isDirectory() ? `${given} is a directory` : `${given} is not a plain file`,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function takeOver(handle: fs.FileHandle, replaced: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (uid !== replaced.uid || gid !== replaced.gid) {
    await handle.chown(replaced.uid, replaced.gid).catch(() => undefined);
  }
  await handle.chmod(replaced.mode & 0o7777);
}
