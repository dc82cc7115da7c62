import { readFileSync } from 'node:fs';

/**
 * What tells this process from a later one that gets its number: which start of the system it belongs to, and when it
 * began in the clock of that start. The command line compares both. Empty where the system does not tell.
 */
export function processMark(): { readonly bootId?: string; readonly processStart?: string } {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // Field 22 of proc_pid_stat(5); the name of the program comes before the last parenthesis.
    const processStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return processStart === undefined ? {} : { bootId, processStart };
  } catch {
    return {};
  }
}
