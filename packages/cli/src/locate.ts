import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UsageError } from './failure.js';
import { markOf } from './process-mark.js';

export interface LocateFlags {
  readonly home?: string | undefined;
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** What a daemon writes into its data directory while it runs; it has an address once it listens. */
export interface DaemonFile {
  readonly pid: number;
  readonly url?: string;
  /** Absent where the system does not tell them. */
  readonly bootId?: string;
  readonly processStart?: string;
}

/** A daemon whose process runs. `certainly`: by more than a number, which another process may have by now. */
export interface LivingDaemon extends DaemonFile {
  readonly certainly: boolean;
}

export interface Located {
  readonly home: string;
  readonly url: string;
  readonly urlFrom: '--url' | 'STOA_URL' | 'STOA_PORT' | 'daemon.json' | 'the default';
  readonly token: string | undefined;
  /** For people: the file, or the name of the variable. */
  readonly tokenFrom: string;
  /** It was taken from the data directory, and not given by the caller. */
  readonly tokenIsOwn: boolean;
  /** The address is that of a process known to be the daemon; any other has to prove it before the token is sent. */
  readonly isCertain: boolean;
  readonly warnings: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULT_URL = 'http://127.0.0.1:7117';

/** Flags before environment before what the running daemon wrote before the default. */
export function locate(flags: LocateFlags, env: Env): Located {
  const home = homeOf(flags, env);
  const address = addressOf(flags, env, home);
  return { home, ...address, ...tokenFor(address, flags, env, home) };
}

export function homeOf(flags: LocateFlags, env: Env): string {
  return path.resolve(flags.home ?? nonEmpty(env['STOA_HOME']) ?? path.join(os.homedir(), '.stoa'));
}

/** The configuration of a daemon that would be started here. */
export function configFileOf(flag: string | undefined, env: Env, home: string): string {
  return path.resolve(flag ?? nonEmpty(env['STOA_CONFIG']) ?? path.join(home, 'stoa.yaml'));
}

/** Who holds the data directory, if that process still lives. */
export function livingDaemon(home: string): LivingDaemon | undefined {
  const daemon = readDaemonFile(home);
  if (!daemon || !isAlive(daemon.pid)) return undefined;
  const mark = daemon.bootId === undefined ? 'unknown' : markOf(daemon.pid);
  if (mark === 'gone') return undefined;
  if (mark === 'unknown') return { ...daemon, certainly: false };
  const isSame = mark.bootId === daemon.bootId && mark.processStart === daemon.processStart;
  return isSame ? { ...daemon, certainly: true } : undefined;
}

export function readDaemonFile(home: string): DaemonFile | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(path.join(home, 'daemon.json'), 'utf8'));
    const file = value as Partial<DaemonFile> | null;
    return typeof file?.pid === 'number' ? { ...file, pid: file.pid } : undefined;
  } catch {
    return undefined;
  }
}

type Address = Pick<Located, 'url' | 'urlFrom' | 'isCertain'>;

function addressOf(flags: LocateFlags, env: Env, home: string): Address {
  const isCertain = false;
  if (flags.url !== undefined) {
    return { url: checkedUrl(flags.url, '--url'), urlFrom: '--url', isCertain };
  }
  const url = nonEmpty(env['STOA_URL']);
  if (url !== undefined) {
    return { url: checkedUrl(url, 'STOA_URL'), urlFrom: 'STOA_URL', isCertain };
  }
  const port = nonEmpty(env['STOA_PORT']);
  const running = livingDaemon(home);
  const own = running?.url !== undefined && isHttp(running.url) ? running.url : undefined;
  // Port 0 lets a daemon take a free one: only its data directory knows which.
  if (port !== undefined && port !== '0') {
    const byPort = urlOfPort(port);
    // It may listen on another address than the usual one.
    const isOwn = own !== undefined && portOf(own) === portOf(byPort);
    if (!isOwn) return { url: byPort, urlFrom: 'STOA_PORT', isCertain };
  }
  return own === undefined
    ? { url: DEFAULT_URL, urlFrom: 'the default', isCertain }
    : { url: own, urlFrom: 'daemon.json', isCertain: running?.certainly === true };
}

const portOf = (url: string): string => new URL(url).port || '80';

function checkedUrl(url: string, from: string): string {
  if (!isHttp(url)) throw new UsageError(`${from} is not an http address: ${url}`);
  return url;
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function urlOfPort(port: string): string {
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new UsageError(`STOA_PORT is not a port: ${port}`);
  }
  return `http://127.0.0.1:${port}`;
}

/** A daemon that was killed leaves its note behind, and anybody may take its port. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The token of a data directory belongs to the daemon that runs on it: it is never sent to another
 * machine just because somebody typed its address, nor to an unknown program on the usual port.
 */
function tokenFor(
  { url, urlFrom }: Address,
  flags: LocateFlags,
  env: Env,
  home: string,
): Pick<Located, 'token' | 'tokenFrom' | 'tokenIsOwn' | 'warnings'> {
  const own = path.join(home, 'token');
  const given = { tokenFrom: own, tokenIsOwn: false, warnings: [] };
  if (flags.tokenFile !== undefined) {
    const tokenFrom = `--token-file ${flags.tokenFile}`;
    return { ...given, tokenFrom, ...tokenIn(flags.tokenFile, 'must exist') };
  }
  const token = nonEmpty(env['STOA_TOKEN']);
  if (token !== undefined) return { ...given, tokenFrom: 'STOA_TOKEN', token };
  const isOurs = urlFrom === 'daemon.json' || isLoopback(new URL(url).hostname);
  if (!isOurs || urlFrom === 'the default') return { ...given, token: undefined };
  return { ...given, tokenIsOwn: true, ...tokenIn(own, 'may be missing') };
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function tokenIn(
  file: string,
  presence: 'must exist' | 'may be missing',
): Pick<Located, 'token' | 'warnings'> {
  try {
    const token = nonEmpty(fs.readFileSync(file, 'utf8').trim());
    if (token === undefined && presence === 'must exist') {
      throw new UsageError(`the token file ${file} is empty`, 'name a file that holds a token');
    }
    const warning = `other users can read ${file}; run: chmod 600 ${file}`;
    return { token, warnings: readableByOthers(file) ? [warning] : [] };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (missing && presence === 'may be missing') return { token: undefined, warnings: [] };
    throw new UsageError(`the token file cannot be read: ${(error as Error).message}`);
  }
}

export function readableByOthers(file: string): boolean {
  const stats = fs.statSync(file);
  return process.platform !== 'win32' && stats.isFile() && (stats.mode & 0o077) !== 0;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
