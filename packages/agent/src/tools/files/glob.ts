import { promises as fs } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { z } from 'zod';
import { isInside } from '../paths.js';
import { type DecidedEnvironment, defineTool } from '../tool.js';
import { ToolFailure, withToolFailures } from '../tool-failure.js';
import { GlobPattern } from './glob-pattern.js';
import { walk } from './walk.js';

const SHOWN_FILES = 1_000;

const GlobInput = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe('Such as **/*.ts or src/{a,b}/*.md'),
  path: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe('Directory to search; by default the workspace'),
});
type GlobInput = z.infer<typeof GlobInput>;

export const glob = defineTool({
  name: 'glob',
  description:
    'Finds files whose path matches a pattern, newest first. Leaves out .git, node_modules and files that ' +
    '.gitignore names; does not follow links.',
  input: GlobInput,
  kind: 'search',
  title: ({ pattern, path }) => `Find ${pattern}${path === undefined ? '' : ` in ${path}`}`,
  subjects: ({ path = '.' }) => [{ type: 'path', path }],
  async execute(input, environment) {
    return { text: await withToolFailures(input.path ?? '.', () => find(input, environment)) };
  },
});

async function find(
  { pattern, path = '.' }: GlobInput,
  { paths, located, signal, workspace, mayShow }: DecidedEnvironment,
): Promise<string> {
  const directory = await paths.openDirectory(located(path));
  await directory.close();
  const root = directory.path;
  if (isAbsolute(pattern) || pattern.split('/').includes('..')) {
    throw new ToolFailure('The pattern is relative to path and cannot contain ..');
  }
  const wanted = new GlobPattern(pattern.replace(/^\.\//, ''));
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(`[${text}]`);
  const found: { readonly shown: string; readonly changed: number }[] = [];
  const enters = (below: string): boolean => wanted.reaches(below);
  for await (const file of walk({ root, paths, signal, enters, note })) {
    if (!wanted.matches(file.relative) || !mayShow(file.path)) continue;
    const changed = await changedAt(file.path);
    if (changed !== undefined) found.push({ shown: shownPath(file.path, workspace), changed });
  }
  if (found.length === 0) return ['No file matches.', ...notes].join('\n');
  found.sort((a, b) => b.changed - a.changed || (a.shown < b.shown ? -1 : 1));
  const lines = found.slice(0, SHOWN_FILES).map(({ shown }) => shown);
  const more = found.length - lines.length;
  const left = more > 0 ? [`[${more} more; narrow the pattern]`] : [];
  return [...lines, ...left, ...notes].join('\n');
}

/** Relative if it is in the workspace. */
export function shownPath(path: string, workspace: string): string {
  return isInside(path, workspace) ? relative(workspace, path) || '.' : path;
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await fs.lstat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}
