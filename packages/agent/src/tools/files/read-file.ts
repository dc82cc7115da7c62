import { constants, type promises as fs } from 'node:fs';
import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { type DecidedEnvironment, defineTool, type ToolOutput } from '../tool.js';
import { withToolFailures } from '../tool-failure.js';
import { isBinary, SNIFFED_BYTES } from './text-file.js';

const CHUNK_BYTES = 65_536;
const OUTPUT_BYTES = 256 * 1024;
const LINE_CHARS = 2_000;
/** Reserved for the note about the next offset. */
const NOTE_CHARS = 200;

const ReadFileInput = z.strictObject({
  path: z.string().min(1).max(4_096).describe('File, absolute or relative to the workspace'),
  offset: z.int().min(1).optional().describe('First line to read, counted from 1'),
  limit: z.int().min(1).max(100_000).optional().describe('How many lines to read'),
});
type ReadFileInput = z.infer<typeof ReadFileInput>;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a text file. Each line is shown with its number. A long file is shown in parts: the answer ' +
    'then ends with the offset of the next part. Binary files are not shown.',
  input: ReadFileInput,
  kind: 'read',
  title: ({ path }) => `Read ${path}`,
  subjects: ({ path }) => [{ type: 'path', path }],
  execute: (input, environment) => withToolFailures(input.path, () => read(input, environment)),
});

async function read(input: ReadFileInput, environment: DecidedEnvironment): Promise<ToolOutput> {
  const { paths, located, signal } = environment;
  const handle = await paths.openFile(located(input.path), constants.O_RDONLY);
  try {
    const { size } = await handle.stat();
    const sniffed = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    if (isBinary(sniffed.buffer.subarray(0, sniffed.bytesRead))) {
      return { text: `${input.path} is a binary file of ${size} bytes`, isError: true };
    }
    return { text: await showLines(handle, input, signal) };
  } finally {
    await handle.close();
  }
}

async function showLines(
  handle: fs.FileHandle,
  { offset = 1, limit = Number.POSITIVE_INFINITY }: ReadFileInput,
  signal: AbortSignal,
): Promise<string> {
  const shown: string[] = [];
  let chars = 0;
  let bytes = 0;
  let number = 0;
  for await (const line of linesOf(handle, signal)) {
    number += 1;
    if (number < offset) continue;
    const text = `${String(number).padStart(6)}\t${line}`;
    chars += text.length + 1;
    bytes += Buffer.byteLength(text) + 1;
    const isFull = chars > LIMITS.toolOutputChars - NOTE_CHARS || bytes > OUTPUT_BYTES;
    if (shown.length >= limit || (isFull && shown.length > 0)) {
      shown.push(`[There is more: continue with offset ${number}]`);
      return shown.join('\n');
    }
    shown.push(text);
  }
  if (number === 0) return '[The file is empty]';
  if (shown.length === 0) return `[The file has only ${number} lines]`;
  return shown.join('\n');
}

/** Reads a file of any size line by line. Does not keep the part of a line that is too long to show. */
async function* linesOf(handle: fs.FileHandle, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let rest = '';
  let cut = 0;
  const finish = (end: string): string => {
    const line = (rest + end).replace(/\r$/, '');
    const over = Math.max(0, line.length - LINE_CHARS) + cut;
    rest = '';
    cut = 0;
    return over === 0 ? line : `${line.slice(0, LINE_CHARS)} [… ${over} more characters]`;
  };
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    position += bytesRead;
    const text = decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 });
    const parts = text.split('\n');
    for (const part of parts.slice(0, -1)) yield finish(part);
    rest += parts.at(-1) ?? '';
    if (rest.length > LINE_CHARS + 1) {
      cut += rest.length - LINE_CHARS;
      rest = rest.slice(0, LINE_CHARS);
    }
    if (bytesRead > 0) continue;
    if (rest !== '') yield finish('');
    return;
  }
}
