import fs from 'node:fs';

/** Tells a process from every other that has, had or will have its number. */
export interface ProcessMark {
  readonly bootId: string;
  readonly processStart: string;
}

/** `gone`: no such process. `unknown`: this system does not tell. */
export function markOf(pid: number): ProcessMark | 'gone' | 'unknown' {
  let bootId: string;
  try {
    bootId = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return 'unknown';
  }
  try {
    // The name of the program comes before the last parenthesis and may hold anything.
    const stat = fs.readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const processStart = fields[START_TIME];
    if (processStart === undefined || state === 'Z' || state === 'X') return 'gone';
    return { bootId, processStart };
  } catch {
    return 'unknown';
  }
}

/** Field 22 of proc_pid_stat(5); the fields begin after the state, which is the third. */
const START_TIME = 18;
