import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The parts of a repository that a command may write, and those that it must not change. */
interface GitDirectories {
  /** Outside the directory: where a worktree or submodule stores its commits. */
  readonly writable: readonly string[];
  /** Hooks and configuration: git starts programs that they name. */
  readonly readOnly: readonly string[];
}

const NONE: GitDirectories = { writable: [], readOnly: [] };
const MAX_MODULES = 200;
const MODULE_DEPTH = 6;
const SMALL_FILE_BYTES = 65_536;

/**
 * Finds the repository of a directory. Without one there is nothing to protect: `git init` works there, and
 * for later commands the new hooks and configuration are read-only.
 *
 * In a worktree or submodule `.git` is a file that names another directory. That directory becomes writable only
 * if it names this one back: otherwise a command could write a `.git` file that makes any directory writable
 * for the next command.
 */
export function gitDirectories(directory: string): GitDirectories {
  // A setting made it writable, for a workspace below the root of its repository.
  if (basename(directory) === '.git') return { writable: [], readOnly: protectedIn(directory) };
  const dotGit = join(directory, '.git');
  const stats = at(dotGit);
  if (stats?.isDirectory()) return { writable: [], readOnly: protectedIn(dotGit) };
  if (!stats?.isFile()) return NONE;
  const common = commonOf(directory, dotGit);
  if (common === undefined) return { writable: [], readOnly: [dotGit] };
  const own = gitDirOf(dotGit);
  const links = own === undefined || own === common ? [] : linksOf(own);
  return { writable: [common], readOnly: [dotGit, ...links, ...protectedIn(common)] };
}

/** Files in the git directory of a worktree that name its repository and its files. */
const linksOf = (gitDir: string): string[] =>
  ['commondir', 'gitdir', 'config.worktree']
    .map((name) => join(gitDir, name))
    .filter((path) => at(path) !== undefined);

function commonOf(directory: string, dotGit: string): string | undefined {
  try {
    const gitDir = gitDirOf(dotGit);
    if (gitDir === undefined) return undefined;
    if (basename(dirname(gitDir)) === 'worktrees') return worktreeCommon(dotGit, gitDir);
    const named = settingIn(read(join(gitDir, 'config')), 'worktree');
    return named !== undefined && realpathSync(resolve(gitDir, named)) === directory
      ? gitDir
      : undefined;
  } catch {
    return undefined;
  }
}

/** The first value of a name in a git configuration. */
function settingIn(text: string, name: string): string | undefined {
  for (const line of text.split('\n')) {
    const [key = '', ...value] = line.split('=');
    if (key.trim() === name && value.length > 0) return value.join('=').trim();
  }
  return undefined;
}

const GITDIR = 'gitdir: ';

function worktreeCommon(dotGit: string, gitDir: string): string | undefined {
  const common = realpathSync(resolve(gitDir, read(join(gitDir, 'commondir')).trim()));
  const back = resolve(gitDir, read(join(gitDir, 'gitdir')).trim());
  const isOwn = common === dirname(dirname(gitDir)) && realpathSync(back) === dotGit;
  return isOwn ? common : undefined;
}

/** The directory that a `.git` file names. */
function gitDirOf(dotGit: string): string | undefined {
  const text = read(dotGit);
  const named = text.startsWith(GITDIR) ? text.slice(GITDIR.length).trim() : '';
  return named === '' ? undefined : realpathSync(resolve(dirname(dotGit), named));
}

/** Hooks and configuration in a git directory and in those of its submodules. */
function protectedIn(gitDir: string): string[] {
  return [gitDir, ...modulesIn(join(gitDir, 'modules'))].flatMap((directory) => {
    const [hooks, config] = [join(directory, 'hooks'), join(directory, 'config')];
    // Created if missing: otherwise a command could create it.
    ignoring(() => mkdirSync(hooks));
    ignoring(() => {
      closeSync(openSync(config, 'wx', 0o644));
    });
    return [hooks, config, join(directory, 'config.worktree')].filter((path) => {
      const stats = at(path);
      return stats?.isDirectory() === true || stats?.isFile() === true;
    });
  });
}

function modulesIn(directory: string, depth = 0): string[] {
  const found: string[] = [];
  for (const entry of entriesOf(directory)) {
    if (found.length >= MAX_MODULES || !entry.isDirectory()) continue;
    const path = join(directory, entry.name);
    if (at(join(path, 'HEAD'))) found.push(path, ...modulesIn(join(path, 'modules'), depth + 1));
    // The directory of a submodule is named after its path, which may have several parts.
    else if (depth < MODULE_DEPTH) found.push(...modulesIn(path, depth + 1));
  }
  return found;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function at(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  const stats = lstatSync(path);
  if (!stats.isFile() || stats.size > SMALL_FILE_BYTES)
    throw new Error(`${path} is not a small regular file`);
  return readFileSync(path, 'utf8');
}

function ignoring(work: () => void): void {
  try {
    work();
  } catch {
    // It exists, or cannot be created, not even by a command.
  }
}
