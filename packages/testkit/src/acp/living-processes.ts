import { readdirSync, readFileSync } from 'node:fs';

/** The living processes that have this text in their environment and are younger than this one. */
export function processesWith(text: string): number[] {
  const own = startTimeOf(readFileSync('/proc/self/stat', 'latin1'));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
        const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
        if (state === 'Z' || state === 'X' || startTimeOf(stat) < own) return false;
        return readFileSync(`/proc/${String(pid)}/environ`, 'latin1').includes(text);
      } catch {
        // It ended while it was looked at.
        return false;
      }
    });
}

const startTimeOf = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
