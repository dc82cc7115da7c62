import { execFile } from 'node:child_process';
import { existsSync, promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const INSTALL_MS = 180_000;

interface Package {
  readonly name: string;
  readonly version: string;
  /** What is started, below `node_modules`. */
  readonly entry: string;
  /** Whether it is started with Node. */
  readonly isScript: boolean;
}

const PACKAGES = {
  qwen: {
    name: '@qwen-code/qwen-code',
    version: '0.15.10',
    entry: '@qwen-code/qwen-code/cli.js',
    isScript: true,
  },
  // Newer ones need Node 22.
  claude: {
    name: '@agentclientprotocol/claude-agent-acp',
    version: '0.49.0',
    entry: '@agentclientprotocol/claude-agent-acp/dist/index.js',
    isScript: true,
  },
  codex: {
    name: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    entry: '@agentclientprotocol/codex-acp/dist/index.js',
    isScript: true,
  },
  // The package opencode-ai only fetches this one, with a script.
  opencode: {
    name: 'opencode-linux-x64',
    version: '1.18.33',
    entry: 'opencode-linux-x64/bin/opencode',
    isScript: false,
  },
  gemini: {
    name: '@google/gemini-cli',
    version: '0.61.0',
    entry: '@google/gemini-cli/bundle/gemini.js',
    isScript: true,
  },
} as const satisfies Readonly<Record<string, Package>>;

export type ProgramName = keyof typeof PACKAGES;

export const PROGRAM_NAMES = Object.keys(PACKAGES) as readonly ProgramName[];

/** A real agent program of the tests, or why it cannot be had. */
export type InstalledProgram =
  | { readonly command: readonly string[] }
  | { readonly command: undefined; readonly reason: string };

/** Name and version of the package that a program comes in. */
export const packageOf = (program: ProgramName): string =>
  `${PACKAGES[program].name} ${PACKAGES[program].version}`;

/**
 * Installs an agent program into a cache of this user, once; it is no dependency of the product. Where it
 * cannot be fetched the tests that need it say so, except where `CI` is set: there it must be had.
 */
export async function installProgram(
  program: ProgramName,
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<InstalledProgram> {
  const { name, version, entry, isScript }: Package = PACKAGES[program];
  const directory = join(cacheDirectory(environment), 'stoa-tests', `${program}-${version}`);
  const path = join(directory, 'node_modules', entry);
  try {
    if (!existsSync(path)) await install(directory, `${name}@${version}`, environment);
    return { command: isScript ? [process.execPath, path] : [path] };
  } catch (error) {
    const reason = `${name}@${version} cannot be fetched: ${wordsOf(error)}`;
    if (environment['CI'] === 'true') throw new Error(reason);
    return { command: undefined, reason };
  }
}

/** Under another name first: one that was interrupted is never taken for a whole one. */
async function install(
  directory: string,
  wanted: string,
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<void> {
  await fs.mkdir(join(directory, '..'), { recursive: true });
  const fresh = await fs.mkdtemp(`${directory}-`);
  try {
    await fs.writeFile(join(fresh, 'package.json'), '{"private":true}');
    const args = ['install', wanted, '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', args, {
      cwd: fresh,
      env: { ...environment },
      timeout: INSTALL_MS,
    });
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
