import fs from 'node:fs';
import path from 'node:path';
import { type Finding, ok, problem } from './finding.js';

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;

/** What of a damaged file its beginning tells; the rest is for `--deep`, which reads all of it. */
export function checkDatabase(home: string): Finding[] {
  const file = path.join(home, 'stoa.db');
  try {
    const fault = faultOf(file);
    return [fault === undefined ? ok('database', file) : damaged(`${file} ${fault}`)];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    const fix = 'run this as the user that runs the daemon';
    return [problem('database', `${file} cannot be read: ${(error as Error).message}`, fix)];
  }
}

function damaged(detail: string): Finding {
  const fix =
    'keep it for investigation, and restore a copy that stoa backup made: docs/operations.md';
  return problem('database', detail, fix);
}

function faultOf(file: string): string | undefined {
  const { size } = fs.statSync(file);
  // One that was just made holds nothing yet.
  if (size === 0) return undefined;
  const header = beginningOf(file);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'is damaged or not a database';
  // What is still to be moved over from the log may be longer than the file.
  return isLogEmpty(file) && size < sizeIn(header) ? 'is truncated' : undefined;
}

function beginningOf(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = fs.openSync(file, 'r');
  try {
    fs.readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    fs.closeSync(descriptor);
  }
  return header;
}

function isLogEmpty(file: string): boolean {
  return (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** By the format of the file: pages of a size, in which 1 stands for the largest. */
function sizeIn(header: Buffer): number {
  const pageBytes = header.readUInt16BE(16);
  return (pageBytes === 1 ? 65_536 : pageBytes) * header.readUInt32BE(28);
}
