import { constants } from 'node:fs';
import { join } from 'node:path';
import type { DecidedEnvironment } from '../tool.js';
import type { Search } from './grep-search.js';
import { LineMatcher } from './line-matcher.js';
import { isBinary } from './text-file.js';
import { type FoundFile, walk } from './walk.js';

const SEARCHED_BYTES = 20 * 1024 * 1024;

/** The search where there is no ripgrep. */
export async function searchWithWalker(
  search: Search,
  environment: DecidedEnvironment,
): Promise<void> {
  const { input, report } = search;
  const matcher = new LineMatcher(input.pattern, input.ignore_case ?? false, environment.signal);
  try {
    for await (const { path, relative } of filesOf(search, environment)) {
      if (!search.wants(relative) || !environment.isOpen(path)) continue;
      const text = await textOf(path, environment);
      if (text === undefined) continue;
      const lines = text.split('\n');
      for (const { number, isMatch } of around(
        await matcher.match(text),
        input.context ?? 0,
        lines,
      ))
        report.add({ path, number, isMatch, text: lines[number - 1] ?? '' });
      if (report.isFull) return;
    }
  } finally {
    await matcher.close();
  }
}

async function* filesOf(
  { root, file }: Search,
  { paths, signal }: DecidedEnvironment,
): AsyncGenerator<FoundFile> {
  if (file === undefined) yield* walk({ root, paths, signal });
  else yield { path: join(root, file), relative: file };
}

async function textOf(path: string, { paths }: DecidedEnvironment): Promise<string | undefined> {
  const place = { given: path, path, insideWorkspace: true, insideHome: false };
  try {
    const handle = await paths.openFile(place, constants.O_RDONLY);
    try {
      if ((await handle.stat()).size > SEARCHED_BYTES) return undefined;
      const bytes = await handle.readFile();
      return isBinary(bytes) ? undefined : bytes.toString('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    // It vanished, became something else, or may not be read: it has no text to search.
    return undefined;
  }
}

function around(matches: readonly number[], context: number, lines: readonly string[]) {
  const isMatch = new Set(matches);
  const numbers = new Set<number>();
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  for (const match of matches) {
    const from = Math.max(1, match - context);
    const to = Math.min(last, match + context);
    for (let number = from; number <= to; number += 1) numbers.add(number);
  }
  return [...numbers].map((number) => ({ number, isMatch: isMatch.has(number) }));
}
