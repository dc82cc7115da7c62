import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { unifiedDiff } from '../text-diff.js';
import { type DecidedEnvironment, defineTool } from '../tool.js';
import { ToolFailure, withToolFailures } from '../tool-failure.js';
import { readTextFile, writeTextFile } from './text-file.js';

const EditFileInput = z.strictObject({
  path: z.string().min(1).max(4_096).describe('File, absolute or relative to the workspace'),
  old_string: z.string().min(1).max(LIMITS.toolInputBytes).describe('Text to replace, exactly'),
  new_string: z.string().max(LIMITS.toolInputBytes).describe('The replacement'),
  replace_all: z.boolean().optional().describe('Replace every occurrence, not the only one'),
});
type EditFileInput = z.infer<typeof EditFileInput>;

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces text in a file. old_string must occur in the file exactly once, with its white space and ' +
    'without line numbers; with replace_all every occurrence is replaced.',
  input: EditFileInput,
  kind: 'edit',
  title: ({ path }) => `Edit ${path}`,
  subjects: ({ path }) => [{ type: 'path', path }],
  async review(input, environment) {
    const { before, after } = await edited(input, environment);
    return { detail: unifiedDiff(input.path, before, after) };
  },
  async execute(input, environment) {
    const { after, count } = await edited(input, environment);
    environment.signal.throwIfAborted();
    const { paths, located } = environment;
    await withToolFailures(input.path, () => writeTextFile(paths, located(input.path), after));
    const times = count === 1 ? 'one occurrence' : `${count} occurrences`;
    return { text: `Edited ${times} in ${input.path}` };
  },
});

interface Edited {
  readonly before: string;
  readonly after: string;
  readonly count: number;
}

async function edited(
  { path, old_string, new_string, replace_all = false }: EditFileInput,
  { paths, located }: DecidedEnvironment,
): Promise<Edited> {
  const file = await withToolFailures(path, () => readTextFile(paths, located(path)));
  if (!file) throw new ToolFailure(`${path}: no such file; write_file creates one`);
  const before = file.text;
  const [old, replacement] = likeTheFile(before, old_string, new_string);
  const parts = before.split(old);
  const count = parts.length - 1;
  if (count === 0) throw new ToolFailure(`old_string does not occur in ${path}`);
  if (count > 1 && !replace_all) {
    throw new ToolFailure(
      `old_string occurs in ${path} ${count} times; include more context, or use replace_all`,
    );
  }
  const after = parts.join(replacement);
  if (after === before) throw new ToolFailure('old_string and new_string are the same');
  return { before, after, count };
}

/** Models read and write LF. A file with CRLF keeps its line ends. */
function likeTheFile(text: string, old: string, replacement: string): [string, string] {
  const crlf = text.split('\r\n').length - 1;
  const lf = text.split('\n').length - 1 - crlf;
  const toCrlf = (given: string): string => given.replace(/\r?\n/g, '\r\n');
  const isCrlf = crlf > lf && text.includes(toCrlf(old));
  return isCrlf ? [toCrlf(old), toCrlf(replacement)] : [old, replacement];
}
