import { constants, promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { PROTECTED_NAMES, START_FILES } from '@stoa/core';
import { ToolFailure } from './tool-failure.js';

/** Where a path really leads, with every link resolved. */
export interface Place {
  /** As it was asked for. */
  readonly given: string;
  readonly path: string;
  readonly insideWorkspace: boolean;
  readonly insideHome: boolean;
  /** It is a protected file or directory under another name, or lies in one. */
  readonly isProtected?: boolean;
  /** Why no tool may touch it, whatever the rules say. */
  readonly refusal?: string | undefined;
}

export interface PathGuardOptions {
  readonly workspace: string;
  /** The directory of the daemon, with its tokens and its data. */
  readonly home: string;
  /** What of that directory may be read nevertheless. */
  readonly readable?: string | undefined;
}

/** Its files are processes: the daemon's memory and environment, and doors to other roots. */
const PROC = '/proc';

/**
 * The one way of the file tools to the disk. A path is first located, which follows every link and says
 * where it leads; that place is what permissions are decided about. Then it is opened from the directory
 * down: each directory is held open and checked to be the one that was located, and the last name is
 * never followed. So a link that is put there in between leads nowhere.
 */
export class PathGuard {
  readonly workspace: string;
  readonly home: string;
  readonly #readable: string | undefined;
  #homeIdentity: Promise<Identity | undefined> | undefined;
  #protected: Promise<ReadonlySet<string>> | undefined;

  constructor({ workspace, home, readable }: PathGuardOptions) {
    this.workspace = workspace;
    this.home = home;
    this.#readable = readable;
  }

  /** Resolves both directories, so that places compare with them. */
  static async create({ workspace, home, readable }: PathGuardOptions): Promise<PathGuard> {
    const resolved = { workspace: await realpath(workspace), home: await realpath(home) };
    if (readable === undefined) return new PathGuard(resolved);
    // Where a link stands in its way, what it leads to is not what was meant.
    const real = await realpath(readable);
    const meant = join(resolved.home, relative(resolve(home), resolve(readable)));
    return new PathGuard({ ...resolved, ...(real === meant ? { readable: real } : {}) });
  }

  async locate(given: string): Promise<Place> {
    if (given.includes('\0')) throw new ToolFailure('A path cannot hold a NUL character');
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

  /** As `locate`, for a call that may change what is there. */
  async locateToChange(given: string): Promise<Place> {
    const place = await this.locate(given);
    return (await this.#leadsToProtected(place.path)) ? { ...place, isProtected: true } : place;
  }

  /** Whether a path found below a located directory may be looked into. */
  isReserved(path: string): boolean {
    if (this.#isReadable(path)) return false;
    return isInside(path, this.home) || isInside(path, PROC);
  }

  /** Opens the file of a place. Its last name must not be a link by now, and it must be a plain file. */
  async openFile(place: Place, flags: number, mode?: number): Promise<fs.FileHandle> {
    const directory = await this.openDirectory(place, dirname(place.path));
    try {
      return await openPlain(directory.at(basename(place.path)), place.given, flags, mode);
    } finally {
      await directory.close();
    }
  }

  /** Holds a directory of a place open; with `create`, makes what of it is missing. */
  async openDirectory(
    place: Place,
    path: string = place.path,
    { create = false } = {},
  ): Promise<HeldDirectory> {
    if (place.refusal !== undefined) throw new ToolFailure(`${place.given}: ${place.refusal}`);
    const missing: string[] = [];
    let existing = path;
    for (;;) {
      const handle = await openIfThere(existing);
      if (handle) {
        let held = new HeldDirectory(handle, existing);
        try {
          await held.verify(place.given);
          for (const name of missing) held = await held.descend(name);
          return held;
        } catch (error) {
          await held.close();
          throw error;
        }
      }
      if (!create || existing === dirname(existing)) throw notThere(path);
      missing.unshift(basename(existing));
      existing = dirname(existing);
    }
  }

  #isReadable(path: string): boolean {
    return this.#readable !== undefined && isInside(path, this.#readable);
  }

  /** By device and inode, which are the same for every name of a file. */
  async #leadsToProtected(path: string): Promise<boolean> {
    this.#protected ??= identitiesOf([
      ...PROTECTED_NAMES.map((name) => join(this.workspace, name)),
      ...[join(this.workspace, '.git/config'), join(this.workspace, '.git/hooks')],
      ...START_FILES.map((name) => join(homedir(), name)),
    ]);
    const known = await this.#protected;
    for (let at = path; ; at = dirname(at)) {
      const found = await identityOf(at);
      if (found && known.has(keyOf(found))) return true;
      if (at === dirname(at)) return false;
    }
  }

  /** The directory itself under another name, as a bind mount gives it. */
  async #leadsHome(path: string): Promise<boolean> {
    this.#homeIdentity ??= identityOf(this.home);
    const home = await this.#homeIdentity;
    if (!home) return false;
    for (let at = path; ; at = dirname(at)) {
      const found = await identityOf(at);
      if (found && found.dev === home.dev && found.ino === home.ino) return true;
      if (at === dirname(at)) return false;
    }
  }
}

/** An open directory: names are looked up in it, whatever happens to its path meanwhile. */
export class HeldDirectory {
  constructor(
    private readonly handle: fs.FileHandle,
    readonly path: string,
  ) {}

  /** A path that leads to a name in this very directory. */
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
const HOME_REFUSED = 'the directory of the Stoa daemon is closed to agents';

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Whether a path is the directory or below it; both must be absolute and normal. */
export function isInside(path: string, directory: string): boolean {
  if (path === directory) return true;
  return path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function procRefusal(wanted: string, path: string): string | undefined {
  // Its links lead where their text does not say, so the name that was asked for counts too.
  return isInside(wanted, PROC) || isInside(path, PROC)
    ? 'the files of running processes are closed to agents'
    : undefined;
}

/** The longest part that exists, resolved, and the rest as it is. */
async function followLinks(
  wanted: string,
): Promise<{ readonly path: string; readonly problem?: string }> {
  const rest: string[] = [];
  for (let existing = wanted; ; existing = dirname(existing)) {
    try {
      return { path: join(await fs.realpath(existing), ...rest) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ELOOP') return { path: wanted, problem: 'its links lead in a circle' };
      if (code === 'EACCES') return { path: wanted, problem: 'permission denied' };
      if (code === 'ENAMETOOLONG') return { path: wanted, problem: 'the name is too long' };
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      // Where a broken link leads can change before it is used.
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

async function identityOf(path: string): Promise<Identity | undefined> {
  try {
    const { dev, ino } = await fs.stat(path, { bigint: true });
    return { dev, ino };
  } catch {
    return undefined;
  }
}

const keyOf = ({ dev, ino }: Identity): string => `${String(dev)}:${String(ino)}`;

async function identitiesOf(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(paths.map(identityOf));
  return new Set(found.flatMap((identity) => (identity ? [keyOf(identity)] : [])));
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
  // Without O_NONBLOCK a pipe would hold the call until somebody writes into it.
  const handle = await fs.open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  throw new ToolFailure(
    stats.isDirectory() ? `${given} is a directory` : `${given} is not a plain file`,
  );
}

function notThere(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no such directory: ${path}`), { code: 'ENOENT' });
}
