import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import type { EngineKind } from '@stoa/protocol';

/**
 * The location of a daemon, which owns the processes of its tasks. On SQLite there is only one daemon: the next one
 * continues the tasks of the last one, even if the machine was renamed or the data moved. It touches only processes
 * that are proven to be the same.
 */
export const locationOf = (engine: EngineKind, home: string): string =>
  engine === 'sqlite' ? 'here' : `${hostname()}:${home}`;

/** The name of this daemon among those of one database. Others can see it, so it contains no path. */
export const newDaemonId = (home: string): string =>
  `${prefixOf(home)}${String(process.pid)}:${randomUUID()}`;

/** Whether a daemon of this data directory has this name; there is one at a time. */
export const isOfHome = (home: string, daemonId: string): boolean =>
  daemonId.startsWith(prefixOf(home));

/**
 * Equal for two daemons only if the lock of one data directory prevented them from running at the same time: the
 * directory is the same and not a copy, the machine was not restarted, and it is not another one of the same name.
 */
const prefixOf = (home: string): string => {
  const { dev, ino } = statSync(home);
  const identity = [home, String(dev), String(ino), bootId()].join('\n');
  return `${hostname()}:${createHash('sha256').update(identity).digest('hex').slice(0, 16)}:`;
};

/** Empty if the system does not provide it. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/**
 * Distinguishes this process from a later one with the same id: the boot of the system, and the start of the process
 * in its clock. The command line compares both. Empty if the system does not provide them.
 */
export function processMark(): { readonly bootId?: string; readonly processStart?: string } {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // Field 22 of proc_pid_stat(5); the name of the program comes before the last parenthesis.
    const processStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = bootId();
    return boot === '' || processStart === undefined ? {} : { bootId: boot, processStart };
  } catch {
    return {};
  }
}
