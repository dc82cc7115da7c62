import { type Dirent, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { Pace } from '../../pace.js';
import type { PathGuard } from '../paths.js';
import { IGNORE_BYTES, IGNORE_RULES, IgnoreFile } from './ignore-file.js';

export interface WalkOptions {
  /** Located and decided about. */
  readonly root: string;
  readonly paths: PathGuard;
  readonly signal: AbortSignal;
  /** Whether to look into a directory, by its path relative to the root. */
  readonly enters?: (relative: string) => boolean;
  /** Told what was left out, and why. */
  readonly note: (text: string) => void;
}

export interface FoundFile {
  readonly path: string;
  /** With `/`, from the root of the walk. */
  readonly relative: string;
}

/** Never looked into: what they hold was not written by who works here. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const VISITED_ENTRIES = 500_000;
/** For ignore rules in one walk. An honest project needs a tenth of it for 200,000 files. */
const MATCHING_MS = 2_000;

interface Level {
  readonly ignore: IgnoreFile;
  /** The directory of the file, relative to the root; '' for the root. */
  readonly base: string;
}

/**
 * The files below a directory that a project does not ignore. Links are not followed. A checkout may be
 * hostile: ignore files are read up to a limit, their rules have a time limit, and the thread is given
 * to others in between.
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
      return { entries, ignore: await readIgnoreFile(directory.at('.gitignore')) };
    } finally {
      await directory.close();
    }
  } catch {
    // It vanished, or may not be read; neither ends the search.
    return { entries: [] };
  }
}

async function readIgnoreFile(path: string): Promise<IgnoreFile> {
  const file = await fs.open(path);
  try {
    // One byte more than is used shows that there is more.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(IGNORE_BYTES + 1));
    const isCut = bytesRead > IGNORE_BYTES;
    const text = buffer.toString('utf8', 0, bytesRead);
    // Half a rule would be another rule.
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
