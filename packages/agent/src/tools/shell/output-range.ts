import { promises as fs } from 'node:fs';
import { basename, dirname } from 'node:path';
import { openRegularFile } from './regular-file.js';
import { HEAD_BYTES, PART_BYTES } from './wrapper.js';

/** Bytes that were printed and are no longer stored. */
export interface DroppedBytes {
  readonly from: number;
  readonly to: number;
}

export interface OutputRange {
  readonly bytes: Buffer;
  /** The offset that was requested, or the next one that is stored. */
  readonly from: number;
  readonly nextOffset: number;
  /** Requested bytes that were dropped; they precede `bytes`. */
  readonly dropped?: DroppedBytes;
  /** How many bytes were printed so far, stored or not. */
  readonly total: number;
}

/**
 * Reads at most `limit` bytes of an output. A range ends before dropped bytes; the next range begins by
 * reporting them. Rejects with ELOOP if the output was replaced by something that is not a file.
 */
export async function readOutputRange(
  path: string,
  offset: number,
  limit: number,
): Promise<OutputRange> {
  const reader = new OutputReader(path, offset);
  try {
    const first = await reader.read(limit);
    const chunks = [first.bytes];
    let missing = limit - first.bytes.length;
    while (missing > 0) {
      const at = reader.offset;
      const next = await reader.read(missing);
      if (next.bytes.length === 0 || next.dropped) {
        reader.offset = at;
        break;
      }
      chunks.push(next.bytes);
      missing -= next.bytes.length;
    }
    const bytes = Buffer.concat(chunks);
    return {
      bytes,
      from: first.dropped?.to ?? offset,
      nextOffset: reader.offset,
      ...(first.dropped ? { dropped: first.dropped } : {}),
      // More may have been printed since the size was read; an offset past the end proves nothing.
      total: Math.max(await totalBytes(path), bytes.length === 0 ? 0 : reader.offset),
    };
  } finally {
    await reader.close();
  }
}

/** Reads an output piece by piece. Keeps the current piece open, so that it can be read even if it is dropped. */
export class OutputReader {
  #open: { readonly piece: Piece; readonly handle: fs.FileHandle } | undefined;

  constructor(
    private readonly path: string,
    public offset: number,
  ) {}

  /** Reads from the piece at the offset; empty if nothing was printed since the last read. */
  async read(limit: number): Promise<{ bytes: Buffer; dropped?: DroppedBytes }> {
    const requested = this.offset;
    for (;;) {
      const open = await this.#openPiece();
      const next = open ? undefined : await nextKept(this.path, this.offset);
      if (next === undefined) {
        const bytes = open ? await this.#readFrom(open, limit) : Buffer.alloc(0);
        const from = this.offset - bytes.length;
        return from > requested ? { bytes, dropped: { from: requested, to: from } } : { bytes };
      }
      // The piece may have been created after the attempt to open it.
      if (!(await exists(pieceAt(this.path, this.offset)))) this.offset = next;
    }
  }

  async close(): Promise<void> {
    await this.#open?.handle.close();
    this.#open = undefined;
  }

  async #openPiece(): Promise<{ piece: Piece; handle: fs.FileHandle } | undefined> {
    const piece = pieceAt(this.path, this.offset);
    if (this.#open?.piece.from === piece.from) return this.#open;
    await this.close();
    const handle = await openPiece(piece);
    this.#open = handle && { piece, handle };
    return this.#open;
  }

  async #readFrom(
    { handle, piece }: { piece: Piece; handle: fs.FileHandle },
    limit: number,
  ): Promise<Buffer> {
    const position = this.offset - piece.from;
    const { size } = await handle.stat();
    const length = Math.min(limit, piece.to - this.offset, Math.max(0, size - position));
    if (length === 0) return Buffer.alloc(0);
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, position);
    this.offset += bytesRead;
    return buffer.subarray(0, bytesRead);
  }
}

/** How many bytes were printed so far, stored or not. */
export async function totalBytes(path: string): Promise<number> {
  const head = await sizeOf(path);
  if (head < HEAD_BYTES) return head;
  for (const part of (await partsOf(path)).reverse()) {
    // The last part may be empty: the wrapper creates it before it knows whether there is more output.
    const size = await sizeOf(`${path}.${part}`);
    if (size > 0) return startOf(part) + size;
  }
  return head;
}

export interface PrintedBefore {
  readonly size: number;
  readonly at: number;
}

/** How many bytes were printed, and when the last of them; undefined if there are none. */
export async function lastPrinted(path: string): Promise<PrintedBefore | undefined> {
  const size = await totalBytes(path);
  if (size === 0) return undefined;
  const stats = await fs.lstat(pieceAt(path, size - 1).path).catch(() => undefined);
  return stats && { size, at: stats.mtimeMs };
}

/**
 * A file with a part of an output. The first `HEAD_BYTES` are in the output file itself, the rest in numbered
 * parts of `PART_BYTES`, of which only the newest are kept. The offset of a byte determines its piece.
 */
interface Piece {
  readonly path: string;
  /** Offset of its first byte. */
  readonly from: number;
  /** Offset of the next piece. */
  readonly to: number;
}

const startOf = (part: number): number => HEAD_BYTES + (part - 1) * PART_BYTES;

function pieceAt(path: string, offset: number): Piece {
  if (offset < HEAD_BYTES) return { path, from: 0, to: HEAD_BYTES };
  const part = Math.floor((offset - HEAD_BYTES) / PART_BYTES) + 1;
  return { path: `${path}.${part}`, from: startOf(part), to: startOf(part + 1) };
}

/** The numbers of the stored parts, oldest first. */
async function partsOf(path: string): Promise<number[]> {
  const name = `${basename(path)}.`;
  const names = await fs.readdir(dirname(path)).catch(() => []);
  return names
    .filter((one) => one.startsWith(name))
    .map((one) => Number(one.slice(name.length)))
    .filter((part) => Number.isInteger(part) && part > 0)
    .sort((a, b) => a - b);
}

/** The offset of the oldest part that begins after this offset. */
async function nextKept(path: string, offset: number): Promise<number | undefined> {
  return (await partsOf(path)).map(startOf).find((from) => from > offset);
}

/** Zero if it is missing or not a file: a part may be dropped at any time. */
async function sizeOf(path: string): Promise<number> {
  const stats = await fs.lstat(path).catch(() => undefined);
  return stats?.isFile() === true ? stats.size : 0;
}

/** Undefined if it does not exist. Rejects if it is not a regular file. */
async function openPiece({ path }: Piece): Promise<fs.FileHandle | undefined> {
  try {
    return await openRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function exists(piece: Piece): Promise<boolean> {
  const handle = await openPiece(piece);
  await handle?.close();
  return handle !== undefined;
}
