import { execFile } from 'node:child_process';
import { constants, promises as fs, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What everything outside the sandbox runs with. */
export const SYSTEM_PATH = '/usr/bin:/bin';

/** Where programs are looked for, in this order. The PATH of the daemon does not count. */
const DIRECTORIES = [
  ...['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'],
  '/run/current-system/sw/bin',
];

const ROOT = 0;
const STICKY = 0o1000;
const WRITE_OF_OTHERS = 0o022;
const MOST_LINKS = 40;

/** The programs that the daemon itself starts, outside the sandbox. */
const PROGRAMS = [
  ...(['sh', 'bash', 'env', 'bwrap', 'rg', 'script', 'stdbuf'] as const),
  ...(['head', 'cat', 'rm', 'grep', 'mkfifo'] as const),
];
type ProgramName = (typeof PROGRAMS)[number];

/** Without these no command can be started. */
export const NEEDED: readonly ProgramName[] = ['sh', 'head', 'cat', 'rm', 'grep', 'mkfifo', 'env'];

type FoundProgram =
  | { readonly ok: true; readonly path: string }
  /** `file`: what is wrong; none when the program is not installed. */
  | { readonly ok: false; readonly problem: string; readonly file?: string };

interface Known {
  readonly path: string;
  readonly identity: string;
  problem?: string;
}

interface SystemProgramsOptions {
  readonly directories?: readonly string[];
  /** Told once of each program that is not used any more. Must not throw. */
  readonly replaced?: (problem: string) => void;
}

/**
 * The programs of the system that the daemon uses. Each is looked for once, in fixed directories, and is
 * used only if nobody but root can change it: the file, each directory on the way to it and each link
 * belong to root and cannot be written by their group or by others (a directory with the sticky bit can:
 * nobody replaces the files of root there), nor by the user of the daemon. Root can write every file:
 * for a daemon that runs as root the last condition does not hold and is not asked for.
 *
 * Before each use the file is compared with what was found. One that was replaced is not used again
 * before the next start.
 */
export class SystemPrograms {
  readonly #found = new Map<ProgramName, Promise<Known | FoundProgram>>();
  #library: Promise<string> | undefined;
  #pseudoTerminal: Promise<boolean> | undefined;

  constructor(private readonly options: SystemProgramsOptions = {}) {}

  /** Looks for all of them now, before anything of an agent runs. */
  async resolve(): Promise<void> {
    await Promise.all(PROGRAMS.map((name) => this.find(name)));
  }

  async find(name: ProgramName): Promise<FoundProgram> {
    let looked = this.#found.get(name);
    if (!looked) {
      looked = look(name, this.options.directories ?? DIRECTORIES);
      this.#found.set(name, looked);
    }
    const known = await looked;
    return 'ok' in known ? known : this.#compare(known);
  }

  /** The path of a program; throws NotUsable. */
  async path(name: ProgramName): Promise<string> {
    const found = await this.find(name);
    if (!found.ok) throw new NotUsable(found.problem);
    return found.path;
  }

  /** What keeps the first of these from being used. */
  async problem(names: readonly ProgramName[]): Promise<string | undefined> {
    for (const name of names) {
      const found = await this.find(name);
      if (!found.ok) return found.problem;
    }
    return undefined;
  }

  /** Bash where there is one: it is what models write for. */
  async shell(): Promise<string> {
    const bash = await this.find('bash');
    if (!bash.ok && bash.file !== undefined) throw new NotUsable(bash.problem);
    return bash.ok ? bash.path : this.path('sh');
  }

  /**
   * What `stdbuf` has a program load, so that not every command has to start `stdbuf` too. Empty where
   * it is not there or works in another way.
   */
  unbufferingLibrary(): Promise<string> {
    this.#library ??= this.#askStdbuf();
    return this.#library;
  }

  /** Whether `script` of util-linux is here; others of that name take other options. */
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

/** A program of the system is missing, or somebody other than root could have changed it. */
export class NotUsable extends Error {
  override readonly name = 'NotUsable';
}

/** Those of this machine; the default. */
export const systemPrograms = new SystemPrograms();

async function look(
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

/** What would change if the file was replaced or written to; undefined when there is none. */
function identityAt(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  const { dev, ino, size, mtimeNs, mode, uid, gid } = stats;
  return [dev, ino, size, mtimeNs, mode, uid, gid].join(' ');
}

/** Why somebody other than root could change what is at a path; undefined when nobody can. */
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
      if (links > MOST_LINKS) return `the links of ${path} lead in a circle`;
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
