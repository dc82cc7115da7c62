import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { unifiedDiff } from '../text-diff.js';
import { type DecidedEnvironment, defineTool } from '../tool.js';
import { inWords, ToolFailure } from '../tool-failure.js';
import { readTextFile, writeTextFile } from './text-file.js';

const EditFileInput = z.strictObject({
  path: z.string().min(1).max(4_096).describe('File, absolute or relative to the workspace'),
  old_string: z.string().min(1).max(LIMITS.toolInputBytes).describe('Text to replace, exactly'),
  new_string: z.string().max(LIMITS.toolInputBytes).describe('What takes its place'),
  replace_all: z.boolean().optional().describe('Replace every occurrence, not the only one'),
});
type EditFileInput = z.infer<typeof EditFileInput>;

export const editFile = defineTool<EditFileInput>({
  name: 'edit_file',
  description:
    'Replaces text in a file. old_string must stand in the file exactly once, with its white space ' +
    'and without line numbers; with replace_all every occurrence is replaced.',
  input: EditFileInput,
  kind: 'edit',
  title: ({ path }) => `Edit ${path}`,
  subjects: ({ path }) => Promise.resolve([{ type: 'path', path }]),
  async review(input, environment) {
    const { before, after } = await edited(input, environment);
    return { detail: unifiedDiff(input.path, before, after) };
  },
  async execute(input, environment) {
    const { after, count } = await edited(input, environment);
    environment.signal.throwIfAborted();
    try {
      await writeTextFile(environment.paths, environment.place(input.path), after);
    } catch (error) {
      throw inWords(error, input.path);
    }
    const times = count === 1 ? 'one place' : `${count} places`;
    return { text: `Edited ${input.path} in ${times}` };
  },
});

interface Edited {
  readonly before: string;
  readonly after: string;
  readonly count: number;
}

async function edited(input: EditFileInput, environment: DecidedEnvironment): Promise<Edited> {
  const { path, old_string, new_string, replace_all = false } = input;
  let before: string | undefined;
  try {
    before = (await readTextFile(environment.paths, environment.place(path)))?.text;
  } catch (error) {
    throw inWords(error, path);
  }
  if (before === undefined) throw new ToolFailure(`${path}: no such file; write_file makes one`);
  const [old, replacement] = likeTheFile(before, old_string, new_string);
  const parts = before.split(old);
  const count = parts.length - 1;
  if (count === 0) throw new ToolFailure(`old_string does not stand in ${path}`);
  if (count > 1 && !replace_all) {
    throw new ToolFailure(
      `old_string stands in ${path} ${count} times; give more of its surroundings, or replace_all`,
    );
  }
  const after = parts.join(replacement);
  if (after === before) throw new ToolFailure('old_string and new_string are the same');
  return { before, after, count };
}

/** Models see and write plain line ends; a file that ends its lines with CRLF keeps doing so. */
function likeTheFile(text: string, old: string, replacement: string): [string, string] {
  const crlf = text.split('\r\n').length - 1;
  const lf = text.split('\n').length - 1 - crlf;
  const toCrlf = (given: string): string => given.replace(/\r?\n/g, '\r\n');
  const isCrlf = crlf > lf && text.includes(toCrlf(old));
  return isCrlf ? [toCrlf(old), toCrlf(replacement)] : [old, replacement];
}
