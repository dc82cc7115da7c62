import { constants, promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OutputPart, OutputRange } from '@stoa/core';

const TAIL_BYTES = 1024 * 1024;

/** The last line of a full transcript, and the sequence it counts as. */
export const TRANSCRIPT_FULL = 'transcript_full';
export const FULL = Number.MAX_SAFE_INTEGER;

/** The current path of a stored path: below this directory, which may have been moved. */
export const transcriptIn = (tasksDirectory: string, path: string): string =>
  join(tasksDirectory, basename(dirname(path)), basename(path));

/** Part of a transcript, by bytes and whole characters. Undefined if there is none. */
export async function readTranscript(
  path: string,
  { offset, limit }: OutputRange,
): Promise<OutputPart | undefined> {
  let file: fs.FileHandle;
  try {
    file = await fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const { size } = await file.stat();
    const from = Math.min(offset, size);
    const bytes = Buffer.alloc(Math.min(limit, size - from));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    const whole = wholeCharacters(bytes.subarray(0, bytesRead));
    return {
      offset: from,
      nextOffset: from + whole.length,
      oldestOffset: 0,
      size,
      text: whole.toString('utf8'),
    };
  } finally {
    await file.close();
  }
}

/** Removes an incomplete character at the end, unless there is nothing else. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    const isTorn = length > back && bytes.length > back;
    return isTorn ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** The sequence of the last complete line of the journal; removes an incomplete line that a crash left. */
export async function lastSeq(file: fs.FileHandle): Promise<number> {
  const { size } = await file.stat();
  const from = Math.max(0, size - TAIL_BYTES);
  const bytes = Buffer.alloc(size - from);
  await file.read(bytes, 0, bytes.length, from);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) await file.truncate(from + end);
  const lines = bytes.toString('utf8', 0, end).split('\n').reverse();
  for (const line of lines) {
    try {
      const { seq, type } = JSON.parse(line) as { seq?: unknown; type?: unknown };
      if (type === TRANSCRIPT_FULL) return FULL;
      if (typeof seq === 'number') return seq;
    } catch {
      // The first line of the tail may be incomplete.
    }
  }
  return 0;
}
