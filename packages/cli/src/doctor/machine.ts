import fs from 'node:fs';
import path from 'node:path';
import type { DaemonPackage } from '../commands/serve.js';
import { bytesText } from '../terminal/bytes-text.js';
import { type Finding, note, ok, problem } from './finding.js';

const OLDEST_NODE = [20, 19] as const;
const LITTLE_SPACE = 1024 ** 3;
const NO_SPACE = 64 * 1024 ** 2;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isNewEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (isNewEnough) return ok('node', `Node ${version}`);
  return problem(
    'node',
    `Node ${version} is too old`,
    `install Node ${OLDEST_NODE.join('.')} or newer`,
  );
}

export function checkSqlite(daemon: Pick<DaemonPackage, 'checkSqlite'>): Finding {
  const { version, library, ok: isGood } = daemon.checkSqlite();
  if (isGood) return ok('sqlite', `SQLite ${version} (${library})`);
  return problem(
    'sqlite',
    `SQLite ${version} has a bug that can corrupt data; the daemon refuses to use it`,
    'install the version of better-sqlite3 that package.json names: npm ci',
  );
}

/** Nothing here stops Stoa: what is missing says what agents go without. */
export async function checkAgentTools(
  daemon: Pick<DaemonPackage, 'checkAgentTools'>,
  writable: readonly string[],
): Promise<Finding[]> {
  const { sandbox, ripgrep } = await daemon.checkAgentTools({ writable });
  const text = [sandbox.summary, ...sandbox.limits].join(' ');
  return [
    sandbox.hidesHome ? ok('sandbox', text) : note('sandbox', text),
    ripgrep.ok
      ? ok('ripgrep', `${ripgrep.path}: agents search files with it`)
      : note('ripgrep', `${ripgrep.problem}: agents use the slower built-in search`),
  ];
}

export function checkDiskSpace(home: string): Finding {
  try {
    const { bavail, bsize, blocks } = fs.statfsSync(nearestExisting(home));
    // Virtual file systems have no size at all.
    return blocks === 0 ? note('disk', 'the size is not available') : judgeSpace(bavail * bsize);
  } catch (error) {
    return note('disk', `the free space cannot be read: ${(error as Error).message}`);
  }
}

export function judgeSpace(free: number): Finding {
  const text = `${bytesText(free)} free`;
  if (free < NO_SPACE) {
    return problem('disk', text, 'free some space: without it the daemon refuses to write');
  }
  return free < LITTLE_SPACE ? note('disk', text) : ok('disk', text);
}

/** What a directory that does not exist yet would be made in. */
export function nearestExisting(directory: string): string {
  let current = path.resolve(directory);
  while (!fs.existsSync(current)) {
    const parent = path.dirname(current);
    if (parent === current) return current;
    current = parent;
  }
  return current;
}
