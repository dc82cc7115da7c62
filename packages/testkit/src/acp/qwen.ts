import { execFile } from 'node:child_process';
import { existsSync, promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const VERSION = '0.15.10';
const INSTALL_MS = 180_000;

/** The real agent program of the tests, or why it cannot be had. */
export type Qwen =
  | { readonly command: readonly string[] }
  | { readonly command: undefined; readonly reason: string };

/**
 * Installs the agent program into a cache of this user, once; it is no dependency of the product. Where it
 * cannot be fetched the tests that need it say so, except where `CI` is set: there it must be had.
 */
export async function installQwen(
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<Qwen> {
  const directory = join(cacheDirectory(environment), 'stoa-tests', `qwen-${VERSION}`);
  const program = join(directory, 'node_modules', '@qwen-code', 'qwen-code', 'cli.js');
  try {
    if (!existsSync(program)) await install(directory, environment);
    return { command: [process.execPath, program] };
  } catch (error) {
    const reason = `@qwen-code/qwen-code@${VERSION} cannot be fetched: ${wordsOf(error)}`;
    if (environment['CI'] === 'true') throw new Error(reason);
    return { command: undefined, reason };
  }
}

/** Under another name first: one that was interrupted is never taken for a whole one. */
async function install(directory: string, environment: Readonly<NodeJS.ProcessEnv>): Promise<void> {
  await fs.mkdir(join(directory, '..'), { recursive: true });
  const fresh = await fs.mkdtemp(`${directory}-`);
  try {
    await fs.writeFile(join(fresh, 'package.json'), '{"private":true}');
    const args = ['install', `@qwen-code/qwen-code@${VERSION}`, '--ignore-scripts', '--no-audit'];
    const options = { cwd: fresh, env: { ...environment }, timeout: INSTALL_MS };
    await promisify(execFile)('npm', [...args, '--no-fund'], options);
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
