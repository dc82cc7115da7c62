import { execFile } from 'node:child_process';
import { existsSync, promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const INSTALL_MS = 180_000;

/** A program that tests use and the product does not depend on. */
export interface NpmProgram {
  readonly package: string;
  readonly version: string;
  /** The file of the package that is started. */
  readonly file: string;
  /** Whether it is started by itself and not with Node. */
  readonly isBinary?: boolean;
  /** What its directory in the cache is called, without the version. */
  readonly directory: string;
}

/** How to run the program, or why it cannot be had. */
export type InstalledProgram =
  | { readonly command: readonly string[] }
  | { readonly command: undefined; readonly reason: string };

/**
 * Installs a program into a cache of this user, once. Where it cannot be fetched the tests that need it
 * say so, except where `CI` is set: there it must be had.
 */
export async function installNpmProgram(
  program: NpmProgram,
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<InstalledProgram> {
  const name = `${program.directory}-${program.version}`;
  const directory = join(cacheDirectory(environment), 'stoa-tests', name);
  const file = join(directory, 'node_modules', program.package, program.file);
  const wanted = `${program.package}@${program.version}`;
  try {
    if (!existsSync(file)) await install(wanted, directory, environment);
    return { command: program.isBinary === true ? [file] : [process.execPath, file] };
  } catch (error) {
    const reason = `${wanted} cannot be fetched: ${wordsOf(error)}`;
    if (environment['CI'] === 'true') throw new Error(reason);
    return { command: undefined, reason };
  }
}

/** Under another name first: one that was interrupted is never taken for a whole one. */
async function install(
  wanted: string,
  directory: string,
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<void> {
  await fs.mkdir(join(directory, '..'), { recursive: true });
  const fresh = await fs.mkdtemp(`${directory}-`);
  try {
    await fs.writeFile(join(fresh, 'package.json'), '{"private":true}');
    const args = ['install', wanted, '--ignore-scripts', '--no-audit', '--no-fund'];
    const options = { cwd: fresh, env: { ...environment }, timeout: INSTALL_MS };
    await promisify(execFile)('npm', args, options);
    await fs.rename(fresh, directory).catch((error: unknown) => {
      // Another process was faster.
      if (!existsSync(join(directory, 'node_modules'))) throw error;
    });
  } finally {
    await fs.rm(fresh, { recursive: true, force: true });
  }
}

function cacheDirectory(environment: Readonly<NodeJS.ProcessEnv>): string {
  const given = environment['XDG_CACHE_HOME'];
  if (given !== undefined && given !== '') return given;
  return process.platform === 'darwin'
    ? join(homedir(), 'Library', 'Caches')
    : join(homedir(), '.cache');
}

function wordsOf(error: unknown): string {
  const stderr = (error as { readonly stderr?: unknown }).stderr;
  const text = typeof stderr === 'string' && stderr !== '' ? stderr : String(error);
  return text.trim().split('\n').slice(0, 3).join(' ');
}
