import { execFileSync } from 'node:child_process';
import { cleanEnvironment, PROGRAM } from '@stoa/testkit';

export interface CommandLine {
  /** Every command by its words: `channel list`. */
  readonly commands: readonly string[];
  /** Every long option of any of them. */
  readonly options: readonly string[];
}

/** The command line as the program knows it: its completion script is made from the program itself. */
export function commandLine(): CommandLine {
  const script = stoa(['completion', 'bash']);
  const [paths = ''] = /^ +'stoa [a-z]+'(?: \| 'stoa [a-z ]+')+\)$/m.exec(script) ?? [];
  const commands = [...paths.matchAll(/'stoa ([a-z ]+)'/g)].map(([, words = '']) => words);
  const options = new Set([...(script.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []), '--help']);
  return { commands: commands.sort(), options: [...options].sort() };
}

export function stoa(args: readonly string[]): string {
  return execFileSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    env: cleanEnvironment(),
  });
}
