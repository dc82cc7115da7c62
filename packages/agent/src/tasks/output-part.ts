import { promises as fs } from 'node:fs';
import type { OutputPart, OutputRange } from '@stoa/core';
import { StoaError, type Task } from '@stoa/protocol';
import type { CommandFiles } from '../tools/shell/command-files.js';
import { unreadable } from '../tools/shell/command-output.js';
import { readOutputRange } from '../tools/shell/output-range.js';

/** Reads the output of a task. Throws `task_without_output` if its files were removed, as opposed to empty output. */
export async function readTaskOutput(
  files: CommandFiles,
  { taskId, end }: Pick<Task, 'taskId' | 'end'>,
  range: OutputRange,
): Promise<OutputPart> {
  const part = await readOutputPart(files.output, range, end !== undefined);
  if (part.size > 0 || end === undefined || end.cause === 'spawn_failed') return part;
  // The intent is written before the start and removed with the other files.
  const isRemoved = await fs.lstat(files.intent).then(
    () => false,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
  );
  if (!isRemoved) return part;
  throw new StoaError('task_without_output', `The output of ${taskId} was removed after it ended`);
}

/** A part of a command's output as text, cut between characters. */
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
  const incomplete = incompleteEnd(range.bytes);
  const isAtEnd = range.nextOffset >= range.total;
  // The rest of a character may still be printed. Otherwise it is returned, or reading would never get past it.
  const mayBeCompleted = !hasEnded && isAtEnd;
  const isKept = !mayBeCompleted && (incomplete === length || isAtEnd);
  const keep = isKept ? length : length - incomplete;
  return {
    offset: range.from,
    nextOffset: range.from + keep,
    oldestOffset: range.dropped?.to ?? 0,
    size: range.total,
    text: range.bytes.toString('utf8', 0, keep),
  };
}

/** How many bytes at the end belong to an incomplete character. */
function incompleteEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
