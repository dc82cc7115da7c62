import { execFile } from 'node:child_process';
import { constants, promises as fs, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** PATH of programs outside the sandbox. */
export const SYSTEM_PATH = '/usr/bin:/bin';

/** Searched in this order, instead of the PATH of the daemon. */
const DIRECTORIES = [
  ...['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'],
  '/run/current-system/sw/bin',
];

const ROOT = 0;
const STICKY = 0o1000;
const WRITE_OF_OTHERS = 0o022;
const MAX_LINKS = 40;

/** Programs that the daemon starts outside the sandbox. */
const PROGRAMS = [
  ...(['sh', 'bash', 'env', 'bwrap', 'rg', 'script', 'stdbuf'] as const),
  ...(['head', 'cat', 'rm', 'grep', 'mkfifo'] as const),
];
type ProgramName = (typeof PROGRAMS)[number];

/** Without these no command can be started. */
export const NEEDED: readonly ProgramName[] = ['sh', 'head', 'cat', 'rm', 'grep', 'mkfifo', 'env'];

type FoundProgram =
  | { readonly ok: true; readonly path: string }
  /** `file`: the program that may not be used; undefined if none is installed. */
  | { readonly ok: false; readonly problem: string; readonly file?: string };

interface Known {
  readonly path: string;
  readonly identity: string;
  problem?: string;
}

interface SystemProgramsOptions {
  readonly directories?: readonly string[];
  /** Called once for each program that was replaced. Must not throw. */
  readonly replaced?: (problem: string) => void;
}

/**
 * The system programs that the daemon uses. Each is searched once, in fixed directories, and used only if nobody
 * but root can change it: the file, each directory on the path and each link belong to root and are writable
 * neither by their group or others (except directories with the sticky bit, where nobody can replace files of
 * root) nor by the daemon's user, unless that is root.
 *
 * Before each use the file is compared with the one that was found. A program that was replaced is not used again
 * until the daemon restarts.
 */
export class SystemPrograms {
  readonly #found = new Map<ProgramName, Promise<Known | FoundProgram>>();
  #library: Promise<string> | undefined;
  #pseudoTerminal: Promise<boolean> | undefined;

  constructor(private readonly options: SystemProgramsOptions = {}) {}

  /** Searches all programs, before any program of an agent runs. */
  async resolve(): Promise<void> {
    await Promise.all(PROGRAMS.map((name) => this.find(name)));
  }

  async find(name: ProgramName): Promise<FoundProgram> {
    let search = this.#found.get(name);
    if (!search) {
      search = searchFor(name, this.options.directories ?? DIRECTORIES);
      this.#found.set(name, search);
    }
    const known = await search;
    return 'ok' in known ? known : this.#compare(known);
  }

  /** Throws NotUsable. */
  async path(name: ProgramName): Promise<string> {
    const found = await this.find(name);
    if (!found.ok) throw new NotUsable(found.problem);
    return found.path;
  }

  /** Why one of these programs cannot be used, if so. */
  async problem(names: readonly ProgramName[]): Promise<string | undefined> {
    for (const name of names) {
      const found = await this.find(name);
      if (!found.ok) return found.problem;
    }
    return undefined;
  }

  /** Bash if it is installed, because models write for bash. */
  async shell(): Promise<string> {
    const bash = await this.find('bash');
    if (!bash.ok && bash.file !== undefined) throw new NotUsable(bash.problem);
    return bash.ok ? bash.path : this.path('sh');
  }

  /** The library that `stdbuf` preloads, which saves starting `stdbuf` for each command. Empty if there is none. */
  unbufferingLibrary(): Promise<string> {
    this.#library ??= this.#askStdbuf();
    return this.#library;
  }

  /** Whether `script` is that of util-linux; others have different options. */
  hasPseudoTerminal(): Promise<boolean> {
    this.#pseudoTerminal ??= this.find('script').then(async (script) => {
      if (!script.ok) return false;
      return (await output(script.path, ['--version'])).includes('util-linux');
    });
    return this.#pseudoTerminal;
  }

  #compare(known: Known): FoundProgram {
    if (known.problem === undefined && identityAt(known.path) !== known.identity) {
      known.problem = `${known.path} was replaced since the daemon started`;
      this.options.replaced?.(known.problem);
    }
    const { path, problem } = known;
    return problem === undefined ? { ok: true, path } : { ok: false, problem, file: path };
  }

  async #askStdbuf(): Promise<string> {
    const [stdbuf, env] = [await this.find('stdbuf'), await this.find('env')];
    if (!stdbuf.ok || !env.ok) return '';
    const printed = await output(stdbuf.path, ['-o0', env.path]);
    const library = /^LD_PRELOAD=(\/.*)$/m.exec(printed)?.[1] ?? '';
    return library !== '' && (await distrust(library)) === undefined ? library : '';
  }
}

/** A system program is missing, or users other than root could have changed it. */
export class NotUsable extends Error {
  override readonly name = 'NotUsable';
}

export const systemPrograms = new SystemPrograms();

async function searchFor(
  name: ProgramName,
  directories: readonly string[],
): Promise<Known | FoundProgram> {
  for (const directory of directories) {
    const path = join(directory, name);
    const identity = identityAt(path);
    if (identity === undefined) continue;
    const problem = await distrust(path);
    return problem === undefined ? { path, identity } : { ok: false, problem, file: path };
  }
  return { ok: false, problem: `${name} is not installed in ${directories.join(', ')}` };
}

/** Changes when the file is replaced or written to; undefined if there is no file. */
function identityAt(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  const { dev, ino, size, mtimeNs, mode, uid, gid } = stats;
  return [dev, ino, size, mtimeNs, mode, uid, gid].join(' ');
}

/** Why users other than root could change the file at a path; undefined if they cannot. */
export async function distrust(path: string): Promise<string | undefined> {
  let rest = namesOf(path);
  let at = '/';
  let links = 0;
  try {
    let problem = await weakness(at, await fs.lstat(at));
    while (problem === undefined && rest.length > 0) {
      const [name = '', ...others] = rest;
      rest = others;
      if (name === '..') {
        at = dirname(at);
        continue;
      }
      const next = join(at, name);
      const stats = await fs.lstat(next);
      problem = await weakness(next, stats);
      if (!stats.isSymbolicLink()) {
        at = next;
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) return `the links of ${path} form a cycle`;
      const target = await fs.readlink(next);
      if (target.startsWith('/')) at = '/';
      rest = [...namesOf(target), ...rest];
    }
    return problem;
  } catch (error) {
    return `${path} cannot be examined (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
  }
}

const namesOf = (path: string): string[] =>
  path.split('/').filter((name) => name !== '' && name !== '.');

async function weakness(path: string, stats: Stats): Promise<string | undefined> {
  if (stats.uid !== ROOT) return `${path} does not belong to root`;
  if (stats.isSymbolicLink()) return undefined;
  if (stats.isDirectory() && (stats.mode & STICKY) !== 0) return undefined;
  if ((stats.mode & WRITE_OF_OTHERS) !== 0)
    return `${path} can be written by users other than root`;
  if (process.getuid?.() === ROOT) return undefined;
  const canWrite = await fs.access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
  return canWrite ? `${path} can be written by the user of the daemon` : undefined;
}

const ASK_MS = 5_000;

function output(program: string, args: readonly string[]): Promise<string> {
  const options = { timeout: ASK_MS, env: { PATH: SYSTEM_PATH } };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => {
      resolve(error ? '' : stdout);
    });
  });
}
