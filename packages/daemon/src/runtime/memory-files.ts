import { randomBytes } from 'node:crypto';
import { constants, promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { FoundFile, MemoryFiles, MemoryFolder } from '@stoa/core';
import { LIMITS, MemoryFileName, StoaError } from '@stoa/protocol';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Without O_NONBLOCK a pipe would block the daemon until somebody writes to it. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const FOLDER_NAME = /^[a-z0-9][a-z0-9-]*(?:\.isolated)?$/;

/**
 * Memories on disk. A folder is kept open while its files are read, and no link is followed, neither of a folder nor
 * of a file. Other files are reported and not touched.
 */
export class DiskMemoryFiles implements MemoryFiles {
  constructor(private readonly root: string) {}

  pathOf(directory: string): string {
    if (!FOLDER_NAME.test(directory)) throw refused(directory, 'no name of a memory');
    return join(this.root, directory);
  }

  async read(directory: string): Promise<MemoryFolder> {
    const folder = await this.#open(directory);
    if (!folder) return { files: [], problems: [] };
    try {
      return await readFolder(folder);
    } finally {
      await folder.close();
    }
  }

  async write(directory: string, name: string, text: string): Promise<void> {
    assertName(name);
    if (Buffer.byteLength(text) > LIMITS.memoryFileBytes) throw refused(name, 'too large');
    await fs.mkdir(this.pathOf(directory), { recursive: true, mode: 0o700 });
    const folder = await this.#open(directory);
    if (!folder) throw refused(directory, 'gone');
    const temporary = folder.at(`.${randomBytes(8).toString('hex')}.tmp`);
    try {
      const there = await fs.lstat(folder.at(name)).catch(() => undefined);
      if (there && !there.isFile()) throw refused(name, 'not a plain file');
      const handle = await fs.open(temporary, NEW, 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await fs.rename(temporary, folder.at(name));
    } catch (error) {
      await fs.rm(temporary, { force: true });
      throw error;
    } finally {
      await folder.close();
    }
  }

  async remove(directory: string, name: string): Promise<boolean> {
    assertName(name);
    const folder = await this.#open(directory);
    if (!folder) return false;
    try {
      await fs.unlink(folder.at(name));
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    } finally {
      await folder.close();
    }
  }

  /** Removes a link itself, not its target. */
  async clear(directory: string): Promise<void> {
    await fs.rm(this.pathOf(directory), { recursive: true, force: true });
  }

  /** Undefined if it does not exist; throws if it is not a directory. */
  async #open(directory: string): Promise<Folder | undefined> {
    const path = this.pathOf(directory);
    try {
      return new Folder(await fs.open(path, DIRECTORY), path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw refused(path, 'a link, or no directory');
    }
  }
}

/** An open folder: its files are found even if its path changes meanwhile. */
class Folder {
  constructor(
    private readonly handle: fs.FileHandle,
    private readonly path: string,
  ) {}

  at(name: string): string {
    return process.platform === 'linux'
      ? `/proc/self/fd/${String(this.handle.fd)}/${name}`
      : join(this.path, name);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

async function readFolder(folder: Folder): Promise<MemoryFolder> {
  const files: FoundFile[] = [];
  const problems: { name: string; problem: string }[] = [];
  const names = (await fs.readdir(folder.at('.'))).filter((name) => !name.startsWith('.')).sort();
  for (const name of names) {
    if (files.length + problems.length >= LIMITS.memoryFiles * 2) {
      problems.push({ name: '…', problem: `there are too many files` });
      break;
    }
    try {
      if (!MemoryFileName.safeParse(name).success)
        throw refused(name, 'not a name of a Markdown file');
      if (files.length >= LIMITS.memoryFiles)
        throw refused(name, `more than ${String(LIMITS.memoryFiles)} files`);
      files.push(await readFile(folder, name));
    } catch (error) {
      problems.push({ name, problem: problemOf(error) });
    }
  }
  return { files, problems };
}

async function readFile(folder: Folder, name: string): Promise<FoundFile> {
  const handle = await fs.open(folder.at(name), PLAIN);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refused(name, 'not a plain file');
    // One byte more than the limit shows whether the file is too long.
    const bytes = Buffer.alloc(LIMITS.memoryFileBytes + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    if (bytesRead > LIMITS.memoryFileBytes)
      throw refused(name, `larger than ${String(LIMITS.memoryFileBytes)} bytes`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, bytesRead));
    return { name, text, updatedAt: Math.round(stats.mtimeMs) };
  } finally {
    await handle.close();
  }
}

function problemOf(error: unknown): string {
  if (error instanceof StoaError) return error.message;
  if (error instanceof TypeError) return 'not UTF-8 text';
  const code = codeOf(error);
  return code === 'ELOOP' ? 'a link' : (code ?? String(error));
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function assertName(name: string): void {
  if (!MemoryFileName.safeParse(name).success) throw refused(name, 'not a name of a Markdown file');
}

const refused = (name: string, problem: string): StoaError =>
  new StoaError('invalid_request', `${name}: ${problem}`);
