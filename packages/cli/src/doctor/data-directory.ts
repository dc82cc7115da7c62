import fs from 'node:fs';
import path from 'node:path';
import { livingDaemon, readableByOthers, readDaemonFile } from '../locate.js';
import { type Finding, note, ok, problem } from './finding.js';
import { nearestExisting } from './machine.js';

export function checkDataDirectory(home: string): Finding[] {
  const stats = statsOf(home);
  if (stats && !stats.isDirectory()) {
    const fix = 'set STOA_HOME (or --home) to a directory';
    return [problem('data directory', `${home} is not a directory`, fix)];
  }
  const dangling = danglingLink(home);
  if (dangling !== undefined) {
    const fix = `create the directory that ${dangling} points to, or set STOA_HOME (or --home) to another`;
    return [problem('data directory', `${dangling} is a broken link`, fix)];
  }
  const obstacle = writeObstacle(nearestExisting(home));
  if (obstacle !== undefined) return [notWritable(home, obstacle)];
  if (!stats) return [note('data directory', `${home} does not exist yet; stoa serve creates it`)];
  if (process.platform !== 'win32' && (stats.mode & 0o022) !== 0) {
    const mode = (stats.mode & 0o777).toString(8);
    return [
      problem(
        'data directory',
        `other users can write to ${home} (mode ${mode})`,
        `chmod 700 ${home}`,
      ),
    ];
  }
  return [ok('data directory', home)];
}

/** The first part of the path that is there but leads nowhere: nothing can be made below it. */
function danglingLink(home: string): string | undefined {
  const above = path.dirname(home);
  const found = above === home ? undefined : danglingLink(above);
  if (found !== undefined || statsOf(home)) return found;
  return isLink(home) ? home : undefined;
}

function isLink(file: string): boolean {
  try {
    return fs.lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

function statsOf(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file);
  } catch {
    return undefined;
  }
}

/** Asks by writing: permission bits do not tell of read-only disks, quotas or other guards. */
function writeObstacle(directory: string): string | undefined {
  const probe = path.join(directory, `.doctor-${process.pid}`);
  try {
    fs.writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
    fs.rmSync(probe);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function notWritable(home: string, obstacle: string): Finding {
  return problem(
    'data directory',
    `${home} cannot be written to: ${obstacle}`,
    'make it writable for the user that runs the daemon, or set STOA_HOME (or --home) to another directory',
  );
}

export function checkTokenFile(home: string): Finding {
  const file = path.join(home, 'token');
  try {
    if (!fs.existsSync(file)) return note('token', 'none yet; stoa serve creates it');
    if (readableByOthers(file)) {
      return problem('token', `other users can read ${file}`, `chmod 600 ${file}`);
    }
    if (fs.readFileSync(file, 'utf8').trim() !== '') return ok('token', file);
    return problem(
      'token',
      `${file} is empty`,
      `remove it and start the daemon, which creates a new one`,
    );
  } catch (error) {
    const detail = `${file} cannot be read: ${(error as Error).message}`;
    return problem('token', detail, 'run this as the user that runs the daemon');
  }
}

/** Who holds the data directory, by what the daemon wrote when it started. */
export function checkHolder(home: string): Finding {
  const daemon = readDaemonFile(home);
  if (!daemon) return ok('lock', 'no daemon holds the data directory');
  if (livingDaemon(home)) return ok('lock', `held by the daemon with pid ${daemon.pid}`);
  return note('lock', `left by a daemon that died (pid ${daemon.pid}); the next one takes it over`);
}
