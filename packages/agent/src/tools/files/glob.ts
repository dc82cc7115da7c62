import { promises as fs } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { z } from 'zod';
import { isInside } from '../paths.js';
import { type DecidedEnvironment, defineTool } from '../tool.js';
import { inWords, ToolFailure } from '../tool-failure.js';
import { GlobPattern } from './glob-pattern.js';
import { walk } from './walk.js';

const SHOWN_FILES = 1_000;

const GlobInput = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe('Such as **/*.ts or src/{a,b}/*.md'),
  path: z.string().min(1).max(4_096).optional().describe('Directory to search; the workspace'),
});
type GlobInput = z.infer<typeof GlobInput>;

export const glob = defineTool<GlobInput>({
  name: 'glob',
  description:
    'Finds files by a pattern of their path; newest first. .git, node_modules and what .gitignore ' +
    'names are left out, links are not followed.',
  input: GlobInput,
  kind: 'search',
  title: ({ pattern, path }) => `Find ${pattern}${path === undefined ? '' : ` in ${path}`}`,
  subjects: ({ path = '.' }) => Promise.resolve([{ type: 'path', path }]),
  async execute(input, environment) {
    try {
      return { text: await find(input, environment) };
    } catch (error) {
      throw inWords(error, input.path ?? '.');
    }
  },
});

async function find(
  { pattern, path = '.' }: GlobInput,
  { paths, place, signal, workspace, isOpen }: DecidedEnvironment,
): Promise<string> {
  const directory = await paths.openDirectory(place(path));
  await directory.close();
  const root = directory.path;
  if (isAbsolute(pattern) || pattern.split('/').includes('..')) {
    throw new ToolFailure('The pattern is relative to path, and cannot leave it');
  }
  const wanted = new GlobPattern(pattern.replace(/^\.\//, ''));
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(`[${text}]`);
  const found: { readonly shown: string; readonly changed: number }[] = [];
  const enters = (below: string): boolean => wanted.reaches(below);
  for await (const file of walk({ root, paths, signal, enters, note })) {
    if (!wanted.matches(file.relative) || !isOpen(file.path)) continue;
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

/** Relative where that is shorter to read and leads to the same. */
export function shownPath(path: string, workspace: string): string {
  return isInside(path, workspace) ? relative(workspace, path) || '.' : join(path);
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await fs.lstat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}
