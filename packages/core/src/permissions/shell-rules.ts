/**
 * What a `Shell(pattern)` or `Monitor(pattern)` rule means for a script.
 *
 * A script is every command that could run in it (`commands-of.ts` of `@stoa/shell`): in pipes and lists, in
 * substitutions, in loops and functions, behind wrappers such as `env` or `timeout`, in the words
 * of `sh -c` and `find -exec`. Patterns are words (`shell-pattern.ts`) and meet each command.
 *
 *   deny   any command that matches denies the whole. The name matches with or without its
 *          directory, and wrappers are matched as well as what they run. A command that could
 *          match, because something in it is unknown or its options are arranged otherwise, is
 *          asked about.
 *   ask    the same, and asks.
 *   allow  every command has to be matched by some allow rule, word by word, as written. A pattern
 *          never allows:
 *            - a command whose name is not fixed text, or unknown words where it has words
 *            - variables set before a command, by a loop, an expansion or a builtin
 *            - a file opened for writing, other than /dev/null; reading one is like naming it,
 *              which takes a pattern that is open at its end
 *            - input that the script gives to the command, if the pattern is not open: for many
 *              programs that is a script. Programs that only print what they read are excepted
 *            - a command or process substitution
 *            - a word that changes what the command does, unless it is spelled out
 *              (`changing-options.ts` of `@stoa/shell`)
 *            - what a wrapper runs, if the pattern does not reach beyond the wrapper
 *
 * A rule without a pattern, or with `*` alone, is about every script. A script that is not
 * understood matches no allow rule, and could match any deny or ask rule.
 */
import { type Command, changesMeaning, type OpenedFile } from '@stoa/shell';
import {
  type Likelihood,
  matchesExactly,
  mayMatch,
  namedWords,
  type ShellPattern,
  spellsOut,
} from './shell-pattern.js';

/** The commands of a script, or that it could not be understood. */
export type ShellReading = readonly Command[] | 'unparsable';

/** Whether a rule that forbids or asks is about this script. */
export function forbids(pattern: ShellPattern, reading: ShellReading): Likelihood {
  if (isEverything(pattern)) return 'yes';
  if (reading === 'unparsable') return 'maybe';
  let sure: Likelihood = 'no';
  for (const { argv, wrappers } of reading) {
    for (const words of [argv, ...wrappers.map((wrapping) => wrapping.argv)]) {
      const likelihood = mayMatch(pattern, words);
      if (likelihood === 'yes') return 'yes';
      if (likelihood === 'maybe') sure = 'maybe';
    }
  }
  return sure;
}

/** The commands of a script that none of the patterns allows; none of them left means it may run. */
export function leftOver(
  patterns: readonly ShellPattern[],
  reading: readonly Command[],
): readonly Command[] {
  if (patterns.some(isEverything)) return [];
  return reading.filter((command) => !patterns.some((pattern) => allows(pattern, command)));
}

function isEverything({ words, open }: ShellPattern): boolean {
  return open && words.length === 0;
}

function allows(pattern: ShellPattern, command: Command): boolean {
  if (command.substituted || command.assignments.length > 0) return false;
  if (!command.files.every((file) => isHarmless(file, pattern.open))) return false;
  if (command.fed && !pattern.open && !printsItsInput(command.argv)) return false;
  if (command.argv.length === 0) return command.wrappers.every(({ transparent }) => transparent);
  for (const { argv, innerAt, transparent } of command.wrappers) {
    const reaches = namedWords(pattern) > (innerAt ?? argv.length - 1);
    if (reaches && allowsWords(pattern, argv)) return true;
    if (!transparent) return false;
  }
  return allowsWords(pattern, command.argv);
}

function allowsWords(pattern: ShellPattern, argv: Command['argv']): boolean {
  const spelledOut = (index: number, text: string) => spellsOut(pattern, index, text);
  return matchesExactly(pattern, argv) && !changesMeaning(argv, spelledOut);
}

/** They take what they read for data, whatever it is. */
const PRINTING: ReadonlySet<string> = new Set([
  ...['cat', 'head', 'tail', 'wc', 'grep', 'rg', 'cut', 'sort', 'uniq', 'tr', 'nl', 'tac', 'rev'],
  ...['fold', 'fmt', 'column', 'comm', 'paste', 'jq', 'diff', 'cmp', 'echo', 'printf', 'true'],
  ...['md5sum', 'sha1sum', 'sha256sum', 'od', 'base64'],
]);

function printsItsInput(argv: Command['argv']): boolean {
  const [name] = argv;
  if (!name) return true;
  return name.type === 'fixed' && PRINTING.has(name.text) && !changesMeaning(argv, () => false);
}

/** Descriptors are put in each other's place, /dev/null forgets, and `<` only reads. */
function isHarmless({ operator, target }: OpenedFile, mayRead: boolean): boolean {
  if (operator === '<<<') return true;
  if (target.type !== 'fixed') return false;
  if (target.text === '/dev/null') return true;
  if (operator === '>&' || operator === '<&') return /^(?:\d+-?|-)$/.test(target.text);
  // Bash opens a connection for these names.
  return mayRead && operator === '<' && !/^\/dev\/(?:tcp|udp)\//.test(target.text);
}
