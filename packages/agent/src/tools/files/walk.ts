import { type Dirent, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { Pace } from '../../pace.js';
import type { LocatedPath, PathGuard } from '../paths.js';
import { IGNORE_BYTES, IGNORE_RULES, IgnoreFile } from './ignore-file.js';

export interface WalkOptions {
  /** A located and permitted directory. */
  readonly root: string;
  readonly paths: PathGuard;
  readonly signal: AbortSignal;
  /** Whether to enter a directory, by its path relative to the root. */
  readonly enters?: (relative: string) => boolean;
  /** Notes what was left out, and why. */
  readonly note: (text: string) => void;
}

export interface FoundFile {
  readonly path: string;
  /** Relative to the root of the walk, with `/`. */
  readonly relative: string;
}

/** Never entered: these files are not written by the people who work here. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const VISITED_ENTRIES = 500_000;
/** Time for ignore rules in one walk. A normal project needs a tenth of it for 200,000 files. */
const MATCHING_MS = 2_000;

interface Level {
  readonly ignore: IgnoreFile;
  /** The directory of the file, relative to the root; '' for the root. */
  readonly base: string;
}

/**
 * The files below a directory that are not ignored. Does not follow links. A checkout may be hostile: ignore files
 * have size and time limits, and the walk yields the thread regularly.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<FoundFile> {
  const { root, paths, signal, enters, note } = options;
  const open: { relative: string; levels: readonly Level[] }[] = [{ relative: '', levels: [] }];
  const pace = new Pace();
  let visited = 0;
  let matchingMs = 0;
  let cutFiles = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    signal.throwIfAborted();
    const { relative: base } = next;
    const listed = await list(paths, join(root, base));
    const { entries } = listed;
    const ignore = listed.ignore === undefined ? [] : [{ ignore: listed.ignore, base }];
    if (listed.ignore?.isCut === true) {
      cutFiles += 1;
      if (cutFiles <= NOTED_FILES) note(cutNote(base));
    }
    const levels = [...next.levels, ...ignore];
    for (const entry of entries) {
      visited += 1;
      if (visited > VISITED_ENTRIES) {
        note(`The search ended after ${VISITED_ENTRIES} files and directories`);
        return;
      }
      if (matchingMs > MATCHING_MS) {
        note(`The search ended: the rules of .gitignore took more than ${MATCHING_MS} ms to match`);
        return;
      }
      if (pace.isDue) {
        await pace.rest();
        signal.throwIfAborted();
      }
      const relative = base === '' ? entry.name : `${base}/${entry.name}`;
      const path = join(root, relative);
      const isDirectory = entry.isDirectory();
      if (!isDirectory && !entry.isFile()) continue;
      if (SKIPPED.has(entry.name) || paths.isReserved(path)) continue;
      const began = performance.now() - pace.restedMs;
      const isIgnored = await ignoredBy(levels, relative, isDirectory, pace);
      matchingMs += performance.now() - pace.restedMs - began;
      if (isIgnored) continue;
      if (!isDirectory) yield { path, relative };
      else if (enters?.(relative) ?? true) open.push({ relative, levels });
    }
  }
}

interface Listed {
  readonly entries: readonly Dirent[];
  readonly ignore?: IgnoreFile;
}

/** A path below a located directory, which the walk found there and which is not a link. */
export const foundPath = (path: string): LocatedPath => ({
  given: path,
  path,
  insideWorkspace: true,
  insideHome: false,
});

async function list(paths: PathGuard, path: string): Promise<Listed> {
  try {
    const directory = await paths.openDirectory(foundPath(path));
    try {
      const entries = await fs.readdir(directory.at('.'), { withFileTypes: true });
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      const hasRules = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
      if (!hasRules) return { entries };
      return { entries, ignore: await readIgnoreFile(directory.at('.gitignore')) };
    } finally {
      await directory.close();
    }
  } catch {
    // It was removed or may not be read. The search continues.
    return { entries: [] };
  }
}

async function readIgnoreFile(path: string): Promise<IgnoreFile> {
  const file = await fs.open(path);
  try {
    // One byte more than is used shows whether the file is longer.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(IGNORE_BYTES + 1));
    const isCut = bytesRead > IGNORE_BYTES;
    const text = buffer.toString('utf8', 0, bytesRead);
    // A rule that is cut in half would be a different rule.
    return new IgnoreFile(isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text, isCut);
  } finally {
    await file.close();
  }
}

const NOTED_FILES = 5;

const cutNote = (base: string): string =>
  `${base === '' ? '' : `${base}/`}.gitignore was read up to ${IGNORE_BYTES / 1024} KiB and ${IGNORE_RULES.toLocaleString('en')} rules`;

async function ignoredBy(
  levels: readonly Level[],
  relative: string,
  isDirectory: boolean,
  pace: Pace,
): Promise<boolean> {
  for (const { ignore, base } of levels.toReversed()) {
    const path = base === '' ? relative : relative.slice(base.length + 1);
    const ignored = await ignore.ignores(path, isDirectory, pace);
    if (ignored !== undefined) return ignored;
  }
  return false;
}
