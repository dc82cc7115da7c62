import type { SystemPrograms } from './system-programs.js';

/** Who needs a terminal asks what it can do; who reads the output sees none of that. */
const TERMINAL = 'xterm-256color';

/** A new one has no size, and who draws would divide by it. On the line of the command: its lines keep their numbers. */
const SIZED = 'stty rows 24 cols 80 2>/dev/null || :; ';

/** Runs a command in a terminal. `script` is told its shell by a variable, and keeps no file of what is typed. */
export const inTerminal = async (
  programs: SystemPrograms,
  shell: string,
  command: string,
): Promise<string[]> => [
  await programs.path('env'),
  `SHELL=${shell}`,
  `TERM=${TERMINAL}`,
  await programs.path('script'),
  '-qefc',
  `${SIZED}${command}`,
  '/dev/null',
];
