import { promises as fs } from 'node:fs';
import type { OutputPart, OutputRange } from '@stoa/core';
import { StoaError, type Task } from '@stoa/protocol';
import type { CommandFiles } from '../tools/shell/command-files.js';
import { unreadable } from '../tools/shell/command-output.js';
import { readOutputRange } from '../tools/shell/output-range.js';

/** The same of a task. Where its files are not kept any more that is said: nothing was printed is another thing. */
export async function readTaskOutput(
  files: CommandFiles,
  { taskId, end }: Pick<Task, 'taskId' | 'end'>,
  range: OutputRange,
): Promise<OutputPart> {
  const part = await readOutputPart(files.output, range, end !== undefined);
  if (part.size > 0 || end === undefined || end.cause === 'spawn_failed') return part;
  // It is there from before the start, and goes with the others.
  const isRemoved = await fs.lstat(files.intent).then(
    () => false,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
  );
  if (!isRemoved) return part;
  throw new StoaError('task_without_output', `The output of ${taskId} was removed: it is over`);
}

/** A part of the output of a command as text, cut between characters. */
export async function readOutputPart(
  path: string,
  { offset, limit }: OutputRange,
  hasEnded: boolean,
): Promise<OutputPart> {
  const range = await readOutputRange(path, offset, limit).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ELOOP', 'EACCES', 'EPERM'].includes(code)) throw error;
    throw new StoaError('task_without_output', unreadable(error));
  });
  const { length } = range.bytes;
  const torn = tornEnd(range.bytes);
  // What is torn at the very end may be whole soon; otherwise it would never be passed.
  const mayBecomeWhole = !hasEnded && range.nextOffset >= range.total;
  const isPassed = mayBecomeWhole ? false : torn === length || range.nextOffset >= range.total;
  const keep = isPassed ? length : length - torn;
  return {
    offset: range.from,
    nextOffset: range.from + keep,
    oldestOffset: range.dropped?.to ?? 0,
    size: range.total,
    text: range.bytes.toString('utf8', 0, keep),
  };
}

/** How many bytes at the end begin a character that goes on behind them. */
function tornEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
