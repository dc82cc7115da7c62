import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HEAD_BYTES, PART_BYTES } from './wrapper.js';

interface Piece {
  readonly path: string;
  /** Where it stands in the whole output. */
  readonly from: number;
  readonly size: number;
}

/**
 * The output of a command, whole or its beginning and its end. What was dropped while it was written,
 * and what is left out here, is said where it is missing.
 */
export async function readOutput(path: string, maxBytes: number): Promise<string> {
  const pieces = await piecesOf(path);
  const total = pieces.reduce((end, { from, size }) => Math.max(end, from + size), 0);
  const kept = pieces.reduce((sum, { size }) => sum + size, 0);
  if (kept === total && total <= maxBytes) return decode(await slice(pieces, 0, total));
  const half = Math.floor(maxBytes / 2);
  const [head, tail] = [
    await slice(pieces, 0, half),
    await slice(pieces, Math.max(half, total - half), total),
  ];
  const missing = total - head.length - tail.length;
  return `${decode(head)}\n[… ${missing} bytes left out …]\n${decode(tail)}`;
}

async function piecesOf(path: string): Promise<Piece[]> {
  const head = { path, from: 0, size: await sizeOf(path) };
  // Nothing is written elsewhere before the head is full.
  if (head.size < HEAD_BYTES) return head.size > 0 ? [head] : [];
  const name = `${basename(path)}.`;
  const names = await fs.readdir(dirname(path)).catch(() => []);
  const parts = names
    .filter((one) => one.startsWith(name))
    .map((one) => Number(one.slice(name.length)))
    .filter((part) => Number.isInteger(part) && part > 0)
    .sort((a, b) => a - b);
  const pieces: Piece[] = [head];
  for (const part of parts) {
    const piece = `${join(dirname(path), name)}${part}`;
    const size = await sizeOf(piece);
    if (size > 0) pieces.push({ path: piece, from: HEAD_BYTES + (part - 1) * PART_BYTES, size });
  }
  return pieces;
}

/** None is as good as empty: a part may be dropped while it is looked at. */
function sizeOf(path: string): Promise<number> {
  return fs.stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
}

async function slice(pieces: readonly Piece[], from: number, to: number): Promise<Buffer> {
  const buffers: Buffer[] = [];
  for (const piece of pieces) {
    const begin = Math.max(from, piece.from);
    const end = Math.min(to, piece.from + piece.size);
    if (begin >= end) continue;
    const handle = await fs.open(piece.path).catch(() => undefined);
    if (!handle) continue;
    try {
      const buffer = Buffer.alloc(end - begin);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, begin - piece.from);
      buffers.push(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  }
  return Buffer.concat(buffers);
}

/** Bytes that belong to no character, as where it was cut, are shown as replaced. */
const decode = (bytes: Buffer): string => bytes.toString('utf8');
