import { execFile } from 'node:child_process';

/** Who needs a terminal asks what it can do; who reads the output sees none of that. */
const TERMINAL = 'xterm-256color';

/** A new one has no size, and who draws would divide by it. On the line of the command: its lines keep their numbers. */
const SIZED = 'stty rows 24 cols 80 2>/dev/null || :; ';

/** Runs a command in a terminal. `script` is told its shell by a variable, and keeps no file of what is typed. */
export const inTerminal = (shell: string, command: string): string[] => [
  '/usr/bin/env',
  `SHELL=${shell}`,
  `TERM=${TERMINAL}`,
  'script',
  '-qefc',
  `${SIZED}${command}`,
  '/dev/null',
];

let script: Promise<boolean> | undefined;

/** Whether `script` of util-linux is here; others of that name take other options. */
export function hasPseudoTerminal(): Promise<boolean> {
  script ??= new Promise((resolve) => {
    execFile('script', ['--version'], { timeout: 5_000 }, (error, stdout) => {
      resolve(!error && stdout.includes('util-linux'));
    });
  });
  return script;
}
