import { constants, promises as fs } from 'node:fs';
import { basename } from 'node:path';
import { type LocatedPath, PathGuard, type PathGuardOptions } from './tools/paths.js';
import { ToolFailure } from './tools/tool-failure.js';

export interface BoundedText {
  readonly text: string;
  /** Whether the text is complete. */
  readonly isWhole: boolean;
}

/**
 * Files of a workspace that the daemon reads on its own. The checkout is not trusted: a link may lead to the
 * daemon's tokens, and a file may be a pipe or endless. So it reads only regular files that are really in the
 * workspace, up to a limit.
 */
export class WorkspaceFiles {
  private constructor(private readonly guard: PathGuard) {}

  static async of(options: PathGuardOptions): Promise<WorkspaceFiles> {
    return new WorkspaceFiles(await PathGuard.create(options));
  }

  /** The names of the files in a directory; none if the directory is not in the workspace. */
  async names(directory: string): Promise<string[]> {
    try {
      const located = await this.guard.locate(directory);
      if (!located.insideWorkspace) return [];
      const held = await this.guard.openDirectory(located);
      try {
        return await fileNames(held.at('.'));
      } finally {
        await held.close();
      }
    } catch {
      return [];
    }
  }

  /** Undefined if there is no such file. Throws a ToolFailure if it may not be read. */
  async read(path: string, bytes: number): Promise<BoundedText | undefined> {
    const located = await this.guard.locate(path);
    const { given, refusal, insideWorkspace } = located;
    if (refusal !== undefined) throw new ToolFailure(`${given}: ${refusal}`);
    if (!insideWorkspace) throw new ToolFailure(`${given} is not below the workspace`);
    const handle = await this.#open(located);
    return handle && readBounded(handle, bytes);
  }

  async #open(located: LocatedPath): Promise<fs.FileHandle | undefined> {
    try {
      return await this.guard.openFile(located, constants.O_RDONLY);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  }
}

/** Reads a file with a trusted path: follows links. Throws if it is not a regular file. */
export async function readPlainFile(path: string, bytes: number): Promise<BoundedText> {
  // Without O_NONBLOCK, opening a pipe would block a thread until another process writes to it.
  const handle = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return readBounded(handle, bytes);
  await handle.close();
  throw new ToolFailure(`${basename(path)} is not a plain file`);
}

/** The names of all entries that are not directories, sorted. */
export async function fileNames(directory: string): Promise<string[]> {
  const entries = await fs.readdir(directory, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])).sort();
}

const CHUNK_BYTES = 64 * 1024;

/** Reads up to a limit, because the file may grow while it is read. Closes it. */
async function readBounded(handle: fs.FileHandle, bytes: number): Promise<BoundedText> {
  const decoder = new TextDecoder();
  let text = '';
  let left = bytes;
  try {
    for (;;) {
      // One byte more than the limit shows whether the file is longer.
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, left + 1));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, bytes - left);
      if (bytesRead === 0) return { text: text + decoder.decode(), isWhole: true };
      text += decoder.decode(chunk.subarray(0, Math.min(bytesRead, left)), { stream: true });
      // A character that the limit splits is left out.
      if (bytesRead > left) return { text, isWhole: false };
      left -= bytesRead;
    }
  } finally {
    await handle.close();
  }
}
