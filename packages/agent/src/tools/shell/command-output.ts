import { promises as fs } from 'node:fs';
import { readOutputRange, totalBytes } from './output-range.js';

/**
 * The output of a command, complete or its beginning and end, with a note where bytes are missing. Does not
 * reject: if the output cannot be read, the text gives the reason.
 */
export async function readOutput(path: string, maxBytes: number): Promise<string> {
  try {
    return await readEnds(path, maxBytes);
  } catch (error) {
    return `[${unreadable(error)}]`;
  }
}

export function unreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ELOOP'
    ? 'Its output was replaced by something that is not a regular file, and is not read'
    : `Its output cannot be read: ${message}`;
}

async function readEnds(path: string, maxBytes: number): Promise<string> {
  const total = await totalBytes(path);
  if (total === 0) {
    await assertFileOrMissing(path);
    return '';
  }
  if (total <= maxBytes) {
    const whole = await readOutputRange(path, 0, total);
    if (whole.bytes.length === total) return decode(whole.bytes);
  }
  const half = Math.floor(maxBytes / 2);
  const head = await readOutputRange(path, 0, half);
  const tail = await readTail(path, Math.max(half, total - half), total);
  const missing = tail.from - head.nextOffset;
  return `${decode(head.bytes)}\n[… ${missing} bytes left out …]\n${decode(tail.bytes)}`;
}

/** The last bytes of an output, or why it cannot be read. Does not reject. */
export async function readOutputTail(path: string, maxBytes: number): Promise<string> {
  try {
    const total = await totalBytes(path);
    if (total === 0) await assertFileOrMissing(path);
    return decode((await readTail(path, Math.max(0, total - maxBytes), total)).bytes);
  } catch (error) {
    return `[${unreadable(error)}]`;
  }
}

/** The bytes from `from` to `to`; if some were dropped, only those after the last gap. */
async function readTail(
  path: string,
  from: number,
  to: number,
): Promise<{ bytes: Buffer; from: number }> {
  let tail = await readOutputRange(path, from, to - from);
  while (tail.nextOffset < to) {
    const next = await readOutputRange(path, tail.nextOffset, to - tail.nextOffset);
    if (next.bytes.length === 0) break;
    const isJoined = next.dropped === undefined;
    const bytes = isJoined ? Buffer.concat([tail.bytes, next.bytes]) : next.bytes;
    tail = { ...next, bytes, from: isJoined ? tail.from : next.from };
  }
  return tail;
}

async function assertFileOrMissing(path: string): Promise<void> {
  const stats = await fs.lstat(path).catch(() => undefined);
  if (stats && !stats.isFile()) throw Object.assign(new Error('not a file'), { code: 'ELOOP' });
}

/** Incomplete characters become U+FFFD. */
const decode = (bytes: Buffer): string => bytes.toString('utf8');
