import { type Dirent, promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { PathGuard } from '../paths.js';
import { IgnoreFile } from './ignore-file.js';

export interface WalkOptions {
  /** Located and decided about. */
  readonly root: string;
  readonly paths: PathGuard;
  readonly signal: AbortSignal;
  /** Whether to look into a directory, by its path relative to the root. */
  readonly enters?: (relative: string) => boolean;
}

export interface FoundFile {
  readonly path: string;
  /** With `/`, from the root of the walk. */
  readonly relative: string;
}

/** Never looked into: what they hold was not written by who works here. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const VISITED_ENTRIES = 500_000;

interface Level {
  readonly ignore: IgnoreFile;
  /** The directory of the file, relative to the root; '' for the root. */
  readonly base: string;
}

/** The files below a directory that a project does not ignore. Links are not followed. */
export async function* walk(options: WalkOptions): AsyncGenerator<FoundFile> {
  const { root, paths, signal, enters } = options;
  const open: { relative: string; levels: readonly Level[] }[] = [{ relative: '', levels: [] }];
  let visited = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    signal.throwIfAborted();
    const { relative: base } = next;
    const listed = await list(paths, join(root, base));
    const { entries } = listed;
    const ignore = listed.ignore === undefined ? [] : [{ ignore: listed.ignore, base }];
    const levels = [...next.levels, ...ignore];
    for (const entry of entries) {
      visited += 1;
      if (visited > VISITED_ENTRIES) return;
      const relative = base === '' ? entry.name : `${base}/${entry.name}`;
      const path = join(root, relative);
      const isDirectory = entry.isDirectory();
      if (!isDirectory && !entry.isFile()) continue;
      if (SKIPPED.has(entry.name) || paths.isReserved(path)) continue;
      if (isIgnored(levels, relative, isDirectory)) continue;
      if (!isDirectory) yield { path, relative };
      else if (enters?.(relative) ?? true) open.push({ relative, levels });
    }
  }
}

interface Listed {
  readonly entries: readonly Dirent[];
  readonly ignore?: IgnoreFile;
}

/** Holds the directory while it is read: a link that takes its place is not followed. */
async function list(paths: PathGuard, path: string): Promise<Listed> {
  const place = { given: path, path, insideWorkspace: true, insideHome: false };
  try {
    const directory = await paths.openDirectory(place);
    try {
      const entries = await fs.readdir(directory.at('.'), { withFileTypes: true });
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      const hasRules = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
      if (!hasRules) return { entries };
      const text = await fs.readFile(directory.at('.gitignore'), 'utf8');
      return { entries, ignore: new IgnoreFile(text) };
    } finally {
      await directory.close();
    }
  } catch {
    // It vanished, or may not be read; neither ends the search.
    return { entries: [] };
  }
}

function isIgnored(levels: readonly Level[], relative: string, isDirectory: boolean): boolean {
  for (const { ignore, base } of levels.toReversed()) {
    const path = base === '' ? relative : relative.slice(base.length + 1);
    const ignored = ignore.ignores(path, isDirectory);
    if (ignored !== undefined) return ignored;
  }
  return false;
}
