import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { unifiedDiff } from '../text-diff.js';
import { defineTool } from '../tool.js';
import { inWords } from '../tool-failure.js';
import { readTextFile, writeTextFile } from './text-file.js';

const WriteFileInput = z.strictObject({
  path: z.string().min(1).max(4_096).describe('File, absolute or relative to the workspace'),
  content: z.string().max(LIMITS.toolInputBytes).describe('What the file is to hold, all of it'),
});
type WriteFileInput = z.infer<typeof WriteFileInput>;

export const writeFile = defineTool<WriteFileInput>({
  name: 'write_file',
  description:
    'Writes a whole file, in place of what was there; directories that are missing are made. ' +
    'To change a part of a file use edit_file.',
  input: WriteFileInput,
  kind: 'edit',
  title: ({ path }) => `Write ${path}`,
  subjects: ({ path }) => Promise.resolve([{ type: 'path', path }]),
  async review({ path, content }, { paths, place }) {
    try {
      const before = await readTextFile(paths, place(path));
      return { detail: unifiedDiff(path, before?.text, content) };
    } catch (error) {
      // Throws for defects. Its words have the path in them, which is the agent's.
      inWords(error, path);
      return { notes: ['What is there now cannot be shown as text. It is replaced as a whole.'] };
    }
  },
  async execute({ path, content }, { paths, place, signal }) {
    signal.throwIfAborted();
    try {
      await writeTextFile(paths, place(path), content);
    } catch (error) {
      throw inWords(error, path);
    }
    return { text: `Wrote ${Buffer.byteLength(content)} bytes to ${path}` };
  },
});
