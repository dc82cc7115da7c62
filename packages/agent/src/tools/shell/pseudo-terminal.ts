import { execFile } from 'node:child_process';

/** Who needs a terminal asks what it can do; who reads the output sees none of that. */
const TERMINAL = 'xterm-256color';

/**
 * What runs the words behind it in a terminal, followed by a file for what is typed, of which there is
 * none. It is told its shell by a variable.
 */
export const terminalPrefix = (shell: string): string[] => [
  '/usr/bin/env',
  `SHELL=${shell}`,
  `TERM=${TERMINAL}`,
  'script',
  '-qefc',
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
