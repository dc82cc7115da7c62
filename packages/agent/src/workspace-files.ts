import { constants, promises as fs } from 'node:fs';
import { basename } from 'node:path';
import { PathGuard, type PathGuardOptions, type Place } from './tools/paths.js';
import { ToolFailure } from './tools/tool-failure.js';

export interface BoundedText {
  readonly text: string;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}

/**
 * What a workspace brings along and the daemon reads by itself. It comes with whatever is checked out
 * there: a link may lead to the daemon's tokens or anywhere else, and what is called a file may be a pipe
 * or have no end. So only plain files that really lie in the workspace are read, and only so much of them.
 */
export class WorkspaceFiles {
  private constructor(private readonly guard: PathGuard) {}

  static async of(places: PathGuardOptions): Promise<WorkspaceFiles> {
    return new WorkspaceFiles(await PathGuard.create(places));
  }

  /** The files in a directory, by name; none where there is none that counts as the workspace's. */
  async names(directory: string): Promise<string[]> {
    try {
      const place = await this.guard.locate(directory);
      if (!place.insideWorkspace) return [];
      const held = await this.guard.openDirectory(place);
      try {
        return await fileNames(held.at('.'));
      } finally {
        await held.close();
      }
    } catch {
      return [];
    }
  }

  /** Undefined when there is no such file. Throws ToolFailure when it is not to be read. */
  async read(path: string, bytes: number): Promise<BoundedText | undefined> {
    const place = await this.guard.locate(path);
    if (place.refusal !== undefined) throw new ToolFailure(`${place.given}: ${place.refusal}`);
    if (!place.insideWorkspace) {
      throw new ToolFailure(`${place.given} is not below the workspace`);
    }
    const handle = await this.#open(place);
    return handle && readBounded(handle, bytes);
  }

  async #open(place: Place): Promise<fs.FileHandle | undefined> {
    try {
      return await this.guard.openFile(place, constants.O_RDONLY);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  }
}

/** Reads a file that its path is trusted for: links are followed. Throws when it is no plain file. */
export async function readPlainFile(path: string, bytes: number): Promise<BoundedText> {
  // Without O_NONBLOCK a pipe would hold a thread of the daemon until somebody writes into it.
  const handle = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return readBounded(handle, bytes);
  await handle.close();
  throw new ToolFailure(`${basename(path)} is not a plain file`);
}

/** The names of what is no directory, in order. */
export async function fileNames(directory: string): Promise<string[]> {
  const entries = await fs.readdir(directory, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])).sort();
}

const CHUNK_BYTES = 64 * 1024;

/** What a file holds now, not what it said it does: it may grow while it is read. Closes it. */
async function readBounded(handle: fs.FileHandle, bytes: number): Promise<BoundedText> {
  const decoder = new TextDecoder();
  let text = '';
  let left = bytes;
  try {
    for (;;) {
      // One byte more than may be there tells whether it goes on.
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, left + 1));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, bytes - left);
      if (bytesRead === 0) return { text: text + decoder.decode(), isWhole: true };
      text += decoder.decode(chunk.subarray(0, Math.min(bytesRead, left)), { stream: true });
      // A character that the limit cuts in two is left out.
      if (bytesRead > left) return { text, isWhole: false };
      left -= bytesRead;
    }
  } finally {
    await handle.close();
  }
}
