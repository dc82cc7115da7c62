import { readdirSync, readFileSync } from 'node:fs';

/** The living processes that have this text in their environment and are younger than this one. */
export function processesWith(text: string): number[] {
  return youngerProcesses((pid) =>
    readFileSync(`/proc/${String(pid)}/environ`, 'latin1').includes(text),
  );
}

/** The living processes of `program` with this text in their arguments that are younger than this one. */
export function processesOf(program: string, text: string): number[] {
  return youngerProcesses((pid) => {
    const [name, ...args] = readFileSync(`/proc/${String(pid)}/cmdline`, 'latin1').split('\0');
    return name === program && args.join(' ').includes(text);
  });
}

function youngerProcesses(isIncluded: (pid: number) => boolean): number[] {
  const own = startTimeOf(readFileSync('/proc/self/stat', 'latin1'));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
        const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
        if (state === 'Z' || state === 'X' || startTimeOf(stat) < own) return false;
        return isIncluded(pid);
      } catch {
        // It ended while it was read.
        return false;
      }
    });
}

const startTimeOf = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);

/**
 * Sends a signal to a process, or to a group by its negative number. Never to nobody in particular: the system
 * takes 0, as of a file that is still empty, for the whole group of the tests, and -1 for everybody.
 */
export function sendSignal(pid: number | undefined, name: NodeJS.Signals | 0): void {
  if (pid === undefined || !Number.isInteger(pid) || Math.abs(pid) < 2) {
    throw new Error(`${String(name)} would go to no process in particular: ${String(pid)}`);
  }
  process.kill(pid, name);
}
