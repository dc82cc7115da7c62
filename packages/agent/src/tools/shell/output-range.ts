import type { promises as fs } from 'node:fs';
import { nextKept, openPiece, type Piece, pieceAt, totalBytes } from './output-pieces.js';

/** Bytes that were printed and are not kept any more. */
export interface DroppedBytes {
  readonly from: number;
  readonly to: number;
}

export interface OutputRange {
  readonly bytes: Buffer;
  /** Where they begin: the offset that was asked for, or where what is kept goes on behind it. */
  readonly from: number;
  /** What to ask for next. */
  readonly nextOffset: number;
  /** What was asked for and is dropped; it stands before the bytes. */
  readonly dropped?: DroppedBytes;
  /** How many bytes were printed until now, kept or not. */
  readonly total: number;
  /** Whether this is everything that was printed until now. */
  readonly isWhole: boolean;
}

/**
 * Bytes of an output from an offset on, never more than asked for. A range ends where bytes are missing:
 * the next one begins by saying which. Rejects with ELOOP when something that is no file stands in the
 * place of the output.
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
      // What is behind a gap belongs to the range that begins with it.
      if (next.bytes.length === 0 || next.dropped) {
        reader.offset = at;
        break;
      }
      chunks.push(next.bytes);
      missing -= next.bytes.length;
    }
    const bytes = Buffer.concat(chunks);
    const from = first.dropped?.to ?? offset;
    // Who asks from behind the end is told where it is; what was read was surely printed.
    const total = Math.max(await totalBytes(path), bytes.length === 0 ? 0 : reader.offset);
    return {
      bytes,
      from,
      nextOffset: reader.offset,
      ...(first.dropped ? { dropped: first.dropped } : {}),
      total,
      isWhole: from === 0 && bytes.length === total,
    };
  } finally {
    await reader.close();
  }
}

/**
 * Reads an output piece by piece. It holds the piece that it is in, so that one that is dropped
 * meanwhile is still read to its end.
 */
export class OutputReader {
  #open: { readonly piece: Piece; readonly handle: fs.FileHandle } | undefined;

  constructor(
    private readonly path: string,
    public offset: number,
  ) {}

  /** What is there of the piece at the offset; nothing when nothing was printed since. */
  async read(limit: number): Promise<{ bytes: Buffer; dropped?: DroppedBytes }> {
    const asked = this.offset;
    for (;;) {
      const handle = await this.#handle();
      if (handle) {
        const bytes = await this.#readFrom(handle.handle, handle.piece, limit);
        return this.#answer(asked, this.offset - bytes.length, bytes);
      }
      const next = await nextKept(this.path, this.offset);
      if (next === undefined) return this.#answer(asked, this.offset, Buffer.alloc(0));
      // It may have been made between the two looks, and then it is there.
      if (await isMade(pieceAt(this.path, this.offset))) continue;
      this.offset = next;
    }
  }

  async close(): Promise<void> {
    await this.#open?.handle.close();
    this.#open = undefined;
  }

  #answer(asked: number, from: number, bytes: Buffer): { bytes: Buffer; dropped?: DroppedBytes } {
    return from > asked ? { bytes, dropped: { from: asked, to: from } } : { bytes };
  }

  async #handle(): Promise<{ piece: Piece; handle: fs.FileHandle } | undefined> {
    const piece = pieceAt(this.path, this.offset);
    if (this.#open?.piece.from === piece.from) return this.#open;
    await this.close();
    const handle = await openPiece(piece);
    this.#open = handle && { piece, handle };
    return this.#open;
  }

  async #readFrom(handle: fs.FileHandle, piece: Piece, limit: number): Promise<Buffer> {
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

async function isMade(piece: Piece): Promise<boolean> {
  const handle = await openPiece(piece);
  await handle?.close();
  return handle !== undefined;
}
