import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { unifiedDiff } from '../text-diff.js';
import { defineTool } from '../tool.js';
import { toToolFailure, withToolFailures } from '../tool-failure.js';
import { readTextFile, writeTextFile } from './text-file.js';

const WriteFileInput = z.strictObject({
  path: z.string().min(1).max(4_096).describe('File, absolute or relative to the workspace'),
  content: z.string().max(LIMITS.toolInputBytes).describe('The complete content of the file'),
});

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a complete file and replaces an existing one; creates missing directories. ' +
    'To change a part of a file use edit_file.',
  input: WriteFileInput,
  kind: 'edit',
  title: ({ path }) => `Write ${path}`,
  subjects: ({ path }) => [{ type: 'path', path }],
  async review({ path, content }, { paths, located }) {
    try {
      const before = await readTextFile(paths, located(path));
      return { detail: unifiedDiff(path, before?.text, content) };
    } catch (error) {
      // Throws if it is a defect. Its message is not used: it contains the path, which the agent chose.
      toToolFailure(error, path);
      return { notes: ['The current content cannot be shown as text. It is replaced completely.'] };
    }
  },
  async execute({ path, content }, { paths, located, signal }) {
    signal.throwIfAborted();
    await withToolFailures(path, () => writeTextFile(paths, located(path), content));
    return { text: `Wrote ${Buffer.byteLength(content)} bytes to ${path}` };
  },
});
