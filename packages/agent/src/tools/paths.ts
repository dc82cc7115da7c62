import { constants, promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { PROTECTED_NAMES, START_FILES } from '@stoa/core';
import { ToolFailure } from './tool-failure.js';

/** A path with every link resolved. */
export interface LocatedPath {
  /** As the caller wrote it. */
  readonly given: string;
  readonly path: string;
  readonly insideWorkspace: boolean;
  readonly insideHome: boolean;
  /** It is another name of a protected file or directory, or inside one. */
  readonly isProtected?: boolean;
  /** Why no tool may access it, regardless of the rules. */
  readonly refusal?: string | undefined;
}

export interface PathGuardOptions {
  readonly workspace: string;
  /** The data directory, with tokens and data of the daemon. */
  readonly home: string;
  /** A directory in it that may be read. */
  readonly readable?: string | undefined;
}

/** Gives access to the memory and environment of the daemon, and to other root directories. */
const PROC = '/proc';

/**
 * Through this class file tools access the disk. `locate` resolves every link of a path; permissions are decided
 * for the result. Opening it holds the directory open, checks that it is still the one that was located, and does
 * not follow a link at the last name. So a link that is created in between has no effect.
 */
export class PathGuard {
  readonly workspace: string;
  readonly home: string;
  readonly #readable: string | undefined;
  #homeIdentity: Promise<ReadonlySet<string>> | undefined;
  #protected: Promise<ReadonlySet<string>> | undefined;

  constructor({ workspace, home, readable }: PathGuardOptions) {
    this.workspace = workspace;
    this.home = home;
    this.#readable = readable;
  }

  /** Resolves the links of both directories, so that located paths can be compared with them. */
  static async create({ workspace, home, readable }: PathGuardOptions): Promise<PathGuard> {
    const resolved = { workspace: await realpath(workspace), home: await realpath(home) };
    if (readable === undefined) return new PathGuard(resolved);
    // Not readable if a link below the data directory leads elsewhere.
    const real = await realpath(readable);
    const expected = join(resolved.home, relative(resolve(home), resolve(readable)));
    return new PathGuard({ ...resolved, ...(real === expected ? { readable: real } : {}) });
  }

  async locate(given: string): Promise<LocatedPath> {
    if (given.includes('\0')) throw new ToolFailure('A path cannot contain a NUL character');
    const wanted = isAbsolute(given) ? resolve(given) : resolve(this.workspace, given);
    const { path, problem } = await followLinks(wanted);
    if (this.#isReadable(path) && problem === undefined) {
      return { given, path, insideWorkspace: true, insideHome: false };
    }
    const insideHome =
      isInside(path, this.home) || isInside(wanted, this.home) || (await this.#leadsHome(path));
    return {
      given,
      path,
      insideWorkspace: isInside(path, this.workspace),
      insideHome,
      refusal: insideHome ? HOME_REFUSED : (procRefusal(wanted, path) ?? problem),
    };
  }

  /** Like `locate`, for a call that may change the file. */
  async locateToChange(given: string): Promise<LocatedPath> {
    const located = await this.locate(given);
    return (await this.#leadsToProtected(located.path))
      ? { ...located, isProtected: true }
      : located;
  }

  /** Whether a path below a located directory must not be read. */
  isReserved(path: string): boolean {
    if (this.#isReadable(path)) return false;
    return isInside(path, this.home) || isInside(path, PROC);
  }

  /** Opens a located path, which must still be a regular file and not a link. */
  async openFile(located: LocatedPath, flags: number, mode?: number): Promise<fs.FileHandle> {
    const directory = await this.openDirectory(located, dirname(located.path));
    try {
      return await openPlain(directory.at(basename(located.path)), located.given, flags, mode);
    } finally {
      await directory.close();
    }
  }

  /** Opens the directory of a located path; with `create`, makes missing directories. */
  async openDirectory(
    located: LocatedPath,
    path: string = located.path,
    { create = false } = {},
  ): Promise<HeldDirectory> {
    if (located.refusal !== undefined)
      throw new ToolFailure(`${located.given}: ${located.refusal}`);
    const missing: string[] = [];
    let existing = path;
    for (;;) {
      const handle = await openIfThere(existing);
      if (handle) {
        let held = new HeldDirectory(handle, existing);
        try {
          await held.verify(located.given);
          for (const name of missing) held = await held.descend(name);
          return held;
        } catch (error) {
          await held.close();
          throw error;
        }
      }
      if (!create || existing === dirname(existing)) {
        throw Object.assign(new Error(`no such directory: ${path}`), { code: 'ENOENT' });
      }
      missing.unshift(basename(existing));
      existing = dirname(existing);
    }
  }

  #isReadable(path: string): boolean {
    return this.#readable !== undefined && isInside(path, this.#readable);
  }

  async #leadsToProtected(path: string): Promise<boolean> {
    this.#protected ??= identitiesOf([
      ...PROTECTED_NAMES.map((name) => join(this.workspace, name)),
      ...[join(this.workspace, '.git/config'), join(this.workspace, '.git/hooks')],
      ...START_FILES.map((name) => join(homedir(), name)),
    ]);
    return isAnyAncestor(path, await this.#protected);
  }

  /** Finds the data directory under another name too, such as a bind mount. */
  async #leadsHome(path: string): Promise<boolean> {
    this.#homeIdentity ??= identitiesOf([this.home]);
    return isAnyAncestor(path, await this.#homeIdentity);
  }
}

/** An open directory. Names are resolved in it, even if its path leads elsewhere meanwhile. */
export class HeldDirectory {
  constructor(
    private readonly handle: fs.FileHandle,
    readonly path: string,
  ) {}

  /** A path to a name in exactly this directory. */
  at(name: string): string {
    return process.platform === 'linux'
      ? `/proc/self/fd/${this.handle.fd}/${name}`
      : join(this.path, name);
  }

  async verify(given: string): Promise<void> {
    const leads =
      process.platform === 'linux'
        ? await fs.readlink(`/proc/self/fd/${this.handle.fd}`)
        : await fs.realpath(this.path);
    if (leads !== this.path) {
      throw new ToolFailure(`${given}: its directory was replaced while it was being opened`);
    }
  }

  async descend(name: string): Promise<HeldDirectory> {
    try {
      await fs.mkdir(this.at(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const inner = await fs.open(this.at(name), DIRECTORY);
    await this.close();
    return new HeldDirectory(inner, join(this.path, name));
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const HOME_REFUSED = 'the data directory of Stoa is closed to agents';

/** Whether a path is the directory or below it; both must be absolute and normalised. */
export function isInside(path: string, directory: string): boolean {
  if (path === directory) return true;
  return path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function procRefusal(wanted: string, path: string): string | undefined {
  // Links in /proc cannot be resolved by their text, so the path as given is checked too.
  return isInside(wanted, PROC) || isInside(path, PROC)
    ? 'the files of running processes are closed to agents'
    : undefined;
}

/** Resolves the longest part that exists, and keeps the rest. */
async function followLinks(
  wanted: string,
): Promise<{ readonly path: string; readonly problem?: string }> {
  const rest: string[] = [];
  for (let existing = wanted; ; existing = dirname(existing)) {
    try {
      return { path: join(await fs.realpath(existing), ...rest) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ELOOP') return { path: wanted, problem: 'its links form a cycle' };
      if (code === 'EACCES') return { path: wanted, problem: 'permission denied' };
      if (code === 'ENAMETOOLONG') return { path: wanted, problem: 'the name is too long' };
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      // The target of a broken link may be created before it is used.
      if (await isLink(existing)) return { path: wanted, problem: 'it is a broken link' };
    }
    if (existing === dirname(existing)) return { path: wanted };
    rest.unshift(basename(existing));
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await fs.lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Device and inode, which are the same for every name of a file. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await fs.stat(path, { bigint: true });
    return `${String(dev)}:${String(ino)}`;
  } catch {
    return undefined;
  }
}

async function identitiesOf(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(paths.map(identityOf));
  return new Set(found.filter((identity) => identity !== undefined));
}

async function isAnyAncestor(path: string, identities: ReadonlySet<string>): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const identity = await identityOf(at);
    if (identity !== undefined && identities.has(identity)) return true;
    if (at === dirname(at)) return false;
  }
}

async function realpath(path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch {
    return resolve(path);
  }
}

async function openIfThere(path: string): Promise<fs.FileHandle | undefined> {
  try {
    return await fs.open(path, DIRECTORY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function openPlain(
  path: string,
  given: string,
  flags: number,
  mode?: number,
): Promise<fs.FileHandle> {
  // Without O_NONBLOCK, opening a pipe would block until another process writes to it.
  const handle = await fs.open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  throw new ToolFailure(
    stats.isDirectory() ? `${given} is a directory` : `${given} is not a plain file`,
  );
}
