import { promises as fs } from 'node:fs';
import { totalBytes } from './output-pieces.js';
import { readOutputRange } from './output-range.js';

/**
 * The output of a command, whole or its beginning and its end. What was dropped while it was written,
 * and what is left out here, is said where it is missing. What is no file any more is not read. Does not
 * reject: a command has ended as it has, whatever became of its output.
 */
export async function readOutput(path: string, maxBytes: number): Promise<string> {
  try {
    return await readEnds(path, maxBytes);
  } catch (error) {
    return `[${unreadable(error)}]`;
  }
}

/** Why an output cannot be read. */
export function unreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ELOOP'
    ? 'Something else stands in the place of its output, which is not read'
    : `Its output cannot be read: ${message}`;
}

async function readEnds(path: string, maxBytes: number): Promise<string> {
  const total = await totalBytes(path);
  if (total === 0) {
    await refuseOther(path);
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

/** Its last bytes, at most so many; or why there are none. Does not reject. */
export async function readOutputTail(path: string, maxBytes: number): Promise<string> {
  try {
    const total = await totalBytes(path);
    if (total === 0) await refuseOther(path);
    return decode((await readTail(path, Math.max(0, total - maxBytes), total)).bytes);
  } catch (error) {
    return `[${unreadable(error)}]`;
  }
}

/** What is kept without a gap before `to`, from there on or later. */
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

/** Nothing is as good as empty; anything else is not. */
async function refuseOther(path: string): Promise<void> {
  const stats = await fs.lstat(path).catch(() => undefined);
  if (stats && !stats.isFile()) throw Object.assign(new Error('no file'), { code: 'ELOOP' });
}

/** Bytes that belong to no character, as where it was cut, are shown as replaced. */
const decode = (bytes: Buffer): string => bytes.toString('utf8');
