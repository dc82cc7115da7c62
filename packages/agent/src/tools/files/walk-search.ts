import { constants } from 'node:fs';
import { join } from 'node:path';
import { Pace } from '../../pace.js';
import type { DecidedEnvironment } from '../tool.js';
import type { Search } from './grep-search.js';
import { LineMatcher } from './line-matcher.js';
import { isBinary } from './text-file.js';
import { type FoundFile, foundPath, walk } from './walk.js';

const SEARCHED_BYTES = 20 * 1024 * 1024;

/** Searches without ripgrep. */
export async function searchWithWalker(
  search: Search,
  environment: DecidedEnvironment,
): Promise<void> {
  const { input, report } = search;
  const matcher = new LineMatcher(input.pattern, input.ignore_case ?? false, environment.signal);
  const pace = new Pace();
  try {
    for await (const { path, relative } of filesOf(search, environment)) {
      if (!search.wants(relative) || !environment.mayShow(path)) continue;
      const text = await textOf(path, environment);
      if (text === undefined) continue;
      const { numbers, matches, texts } = await matcher.match(text, input.context ?? 0);
      for (const [index, number] of numbers.entries()) {
        report.add({ path, number, isMatch: matches[index] === 1, text: texts[index] ?? '' });
        if (report.isFull) return;
        if (pace.isDue) await pace.rest();
      }
    }
  } finally {
    await matcher.close();
  }
}

async function* filesOf(
  { root, file, report }: Search,
  { paths, signal }: DecidedEnvironment,
): AsyncGenerator<FoundFile> {
  if (file === undefined) yield* walk({ root, paths, signal, note: (text) => report.note(text) });
  else yield { path: join(root, file), relative: file };
}

async function textOf(path: string, { paths }: DecidedEnvironment): Promise<string | undefined> {
  try {
    const handle = await paths.openFile(foundPath(path), constants.O_RDONLY);
    try {
      if ((await handle.stat()).size > SEARCHED_BYTES) return undefined;
      const bytes = await handle.readFile();
      return isBinary(bytes) ? undefined : bytes.toString('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    // It was removed or replaced, or may not be read.
    return undefined;
  }
}
