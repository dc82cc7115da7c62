import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import type { EngineKind } from '@stoa/protocol';

/**
 * Whose processes those of a task are. On SQLite nobody else can be there: the next daemon takes up what the
 * last one left, whatever the machine is called by then and wherever its data was moved to. Nothing that does
 * not show that it is the same process is touched.
 */
export const locationOf = (engine: EngineKind, home: string): string =>
  engine === 'sqlite' ? 'here' : `${hostname()}:${home}`;

/** The name of this daemon among those of one database. It is seen by others, so no path stands in it. */
export const newDaemonId = (home: string): string =>
  `${prefixOf(home)}${String(process.pid)}:${randomUUID()}`;

/** Whether it is the name of a daemon of this data directory, of which there is one at a time. */
export const isOfHome = (home: string, daemonId: string): boolean =>
  daemonId.startsWith(prefixOf(home));

/**
 * The same for two daemons only if the lock of one data directory kept them from running at the same time: the directory
 * is the same one and no copy, and the machine was not started again, nor is it another one of the same name.
 */
const prefixOf = (home: string): string => {
  const { dev, ino } = statSync(home);
  const identity = [home, String(dev), String(ino), bootId()].join('\n');
  return `${hostname()}:${createHash('sha256').update(identity).digest('hex').slice(0, 16)}:`;
};

/** Empty where the system does not tell. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
