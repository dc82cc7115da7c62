/**
 * How `Shell(pattern)` and `Monitor(pattern)` rules apply to a script.
 *
 * A script consists of every command that could run in it (`commands-of.ts` of `@stoa/shell`): in pipes and lists, in
 * substitutions, in loops and functions, behind wrappers such as `env` or `timeout`, in the words
 * of `sh -c` and `find -exec`. Patterns are words (`shell-pattern.ts`) and are matched with each command.
 *
 *   deny   any command that matches denies the whole script. The name matches with or without its
 *          directory, and wrappers are matched as well as the commands they run. A command that could
 *          match, because something in it is unknown or its options have another order, needs an
 *          approval.
 *   ask    the same, and asks.
 *   allow  every command has to be matched by an allow rule, word by word, as written. A pattern
 *          never allows:
 *            - a command whose name is not fixed text, or unknown words where the pattern has words
 *            - variables set before a command, by a loop, an expansion or a builtin
 *            - a file opened for writing, other than /dev/null; a file opened for reading counts as a
 *              further word, so the pattern has to be open at its end
 *            - input that the script sends to the command, if the pattern is not open: for many
 *              programs that is a script. Programs that only print their input are excepted
 *            - a command or process substitution
 *            - a word that changes what the command does, unless it is spelled out
 *              (`changing-options.ts` of `@stoa/shell`)
 *            - the command of a wrapper, if the pattern ends with the wrapper
 *
 * A rule without a pattern, or with `*` alone, applies to every script. A script that cannot be parsed matches no allow rule, and
 * could match any deny or ask rule.
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

/** The commands of a script, unless it could not be parsed. */
export type ShellReading = readonly Command[] | 'unparsable';

/** Whether a deny or ask rule applies to this script. */
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

/** The commands of a script that none of the patterns allows. */
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

/** Programs that treat their input as data. */
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

/** Duplicated descriptors, /dev/null, and files that are only read, if that is allowed. */
function isHarmless({ operator, target }: OpenedFile, mayRead: boolean): boolean {
  if (operator === '<<<') return true;
  if (target.type !== 'fixed') return false;
  if (target.text === '/dev/null') return true;
  if (operator === '>&' || operator === '<&') return /^(?:\d+-?|-)$/.test(target.text);
  // Bash opens a connection for these names.
  return mayRead && operator === '<' && !/^\/dev\/(?:tcp|udp)\//.test(target.text);
}
