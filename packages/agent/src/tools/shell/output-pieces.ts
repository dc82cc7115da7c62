import { promises as fs } from 'node:fs';
import { basename, dirname } from 'node:path';
import { openRegularFile } from './regular-file.js';
import { HEAD_BYTES, PART_BYTES } from './wrapper.js';

/**
 * Where the bytes of an output are: the first `HEAD_BYTES` in the file itself, the rest in numbered parts
 * of `PART_BYTES`, of which the older ones are dropped. Which piece a byte belongs to is arithmetic, so
 * it does not matter how often the pieces were changed since somebody looked.
 */
export interface Piece {
  readonly path: string;
  /** Where it stands in the whole output. */
  readonly from: number;
  /** Where the next one begins. */
  readonly to: number;
}

export function pieceAt(path: string, offset: number): Piece {
  if (offset < HEAD_BYTES) return { path, from: 0, to: HEAD_BYTES };
  const part = Math.floor((offset - HEAD_BYTES) / PART_BYTES) + 1;
  const from = HEAD_BYTES + (part - 1) * PART_BYTES;
  return { path: `${path}.${part}`, from, to: from + PART_BYTES };
}

/** The parts that are there, the oldest first. */
async function partsOf(path: string): Promise<number[]> {
  const name = `${basename(path)}.`;
  const names = await fs.readdir(dirname(path)).catch(() => []);
  return names
    .filter((one) => one.startsWith(name))
    .map((one) => Number(one.slice(name.length)))
    .filter((part) => Number.isInteger(part) && part > 0)
    .sort((a, b) => a - b);
}

/** Where the oldest part after this offset begins; undefined when there is none. */
export async function nextKept(path: string, offset: number): Promise<number | undefined> {
  const parts = await partsOf(path);
  return parts.map((part) => HEAD_BYTES + (part - 1) * PART_BYTES).find((from) => from > offset);
}

/** How many bytes were printed until now, kept or not. */
export async function totalBytes(path: string): Promise<number> {
  const head = await sizeOf(path);
  // Nothing is written elsewhere before the head is full.
  if (head < HEAD_BYTES) return head;
  for (const part of (await partsOf(path)).reverse()) {
    // The next one is made when one was begun, and is empty when that was the last.
    const size = await sizeOf(`${path}.${part}`);
    if (size > 0) return HEAD_BYTES + (part - 1) * PART_BYTES + size;
  }
  return head;
}

/** How many bytes were printed, and when the last of them; undefined when none were. */
export async function lastPrinted(path: string): Promise<PrintedBefore | undefined> {
  const size = await totalBytes(path);
  if (size === 0) return undefined;
  const stats = await fs.lstat(pieceAt(path, size - 1).path).catch(() => undefined);
  return stats && { size, at: stats.mtimeMs };
}

export interface PrintedBefore {
  readonly size: number;
  readonly at: number;
}

/** None is as good as empty, and so is what is no file: a part may be dropped while it is looked at. */
async function sizeOf(path: string): Promise<number> {
  const stats = await fs.lstat(path).catch(() => undefined);
  return stats?.isFile() === true ? stats.size : 0;
}

/** Undefined when it is not there. Rejects when something else stands in its place. */
export async function openPiece({ path }: Piece): Promise<fs.FileHandle | undefined> {
  try {
    return await openRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
