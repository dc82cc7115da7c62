import { type Argument, splitName } from '@stoa/shell';
import { matchesWildcard, type Wildcard } from './wildcard.js';

/**
 * The pattern of a `Shell(…)` rule: words, as a shell would split them. Quotes and backslashes escape a star; nothing else is
 * special.
 *
 *   git status       exactly these words
 *   git status *     these words, then any number of others, or none
 *   git status*      the last word may be longer, then any number of others
 *   npm run test:*   the same: `test:unit`, and any words after it
 *   git * main       a separate star in the middle is any one word
 *   ./ci/*.sh        in the name of a command a star does not match a slash
 */
export interface ShellPattern {
  readonly words: readonly Wildcard[];
  /** Any number of words may follow. */
  readonly open: boolean;
}

/** Whether a pattern matches a command of which some words may be unknown. */
export type Likelihood = 'yes' | 'maybe' | 'no';

export function parseShellPattern(text: string): ShellPattern | { readonly problem: string } {
  const words = splitPattern(text);
  if (!words) return { problem: 'a quote or a backslash in the pattern is not closed' };
  const last = words.at(-1);
  if (!last) return { problem: 'the pattern is empty' };
  if (last.length === 1 && last[0] === undefined) return { words: words.slice(0, -1), open: true };
  return { words, open: last.at(-1) === undefined };
}

function splitPattern(text: string): Wildcard[] | undefined {
  const words: (string | undefined)[][] = [];
  let word: (string | undefined)[] | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (/\s/.test(character)) {
      word = undefined;
      continue;
    }
    if (!word) {
      word = [];
      words.push(word);
    }
    if (character === "'" || character === '"') {
      const end = text.indexOf(character, at + 1);
      if (end < 0) return undefined;
      for (const quoted of text.slice(at + 1, end)) word.push(quoted);
      if (end === at + 1) word.push('');
      at = end;
    } else if (character === '\\') {
      if (at + 1 >= text.length) return undefined;
      at += 1;
      word.push(text.charAt(at));
    } else word.push(character === '*' ? undefined : character);
  }
  return words;
}

/** The number of words at the start of the pattern that contain no wildcard. */
export function namedWords({ words }: ShellPattern): number {
  const loose = words.findIndex((word) => word.includes(undefined));
  return loose < 0 ? words.length : loose;
}

/** Whether the pattern contains this word without a wildcard, or at least the name of an option with a value. */
export function spellsOut({ words }: ShellPattern, index: number, text: string): boolean {
  const word = words[index];
  if (!word) return false;
  const loose = word.indexOf(undefined);
  if (loose < 0) return true;
  const [option = ''] = text.split('=', 1);
  return text.startsWith('-') && word.slice(0, loose).join('').length > option.length;
}

/** Word by word. Unknown words are only matched by the open end of a pattern. */
export function matchesExactly({ words, open }: ShellPattern, argv: readonly Argument[]): boolean {
  if (argv.length < words.length || (!open && argv.length > words.length)) return false;
  return words.every((word, index) => {
    const argument = argv[index];
    if (argument?.type !== 'fixed') return false;
    if (index === 0 && crossesSlash(word, argument.text)) return false;
    return matchesWildcard(word, argument.text);
  });
}

function crossesSlash(word: Wildcard, name: string): boolean {
  const slashes = (text: string) => text.split('/').length;
  return word.includes(undefined) && slashes(word.join('')) !== slashes(name);
}

/**
 * For rules that forbid: also matches a command that is written in another way.
 *
 *   yes     word by word, the name with or without a directory, ignoring case
 *   maybe   an unknown word could match; or the words match with other options between or instead of the
 *           pattern's, which may be the same options written differently
 */
export function mayMatch(pattern: ShellPattern, argv: readonly Argument[]): Likelihood {
  const [name, ...rest] = argv;
  if (!name) return 'no';
  if (pattern.words.length === 0) return 'yes';
  if (name.type !== 'fixed') return 'maybe';
  const [patternName = [], ...patternRest] = pattern.words;
  const named = matchesName(patternName, name.text);
  if (named === 'no') return 'no';
  const tail: ShellPattern = { words: patternRest, open: pattern.open };
  if (named === 'yes' && matchesTail(tail, rest)) return 'yes';
  return matchesLoosely(tail, rest) ? 'maybe' : 'no';
}

function matchesName(word: Wildcard, name: string): Likelihood {
  const { base } = splitName(name);
  const lower = word.map((piece) => piece?.toLowerCase());
  if (matchesWildcard(lower, name.toLowerCase())) return 'yes';
  const cut = lower.lastIndexOf('/') + 1;
  if (!matchesWildcard(lower.slice(cut), base)) return 'no';
  return cut === 0 ? 'yes' : 'maybe';
}

function matchesTail({ words, open }: ShellPattern, argv: readonly Argument[]): boolean {
  if (argv.length < words.length || (!open && argv.length > words.length)) return false;
  return words.every((word, index) => {
    const argument = argv[index];
    return argument?.type === 'fixed' && matchesWildcard(word, argument.text);
  });
}

/** The operands of the pattern match in order, with options anywhere. If the pattern has options, the command must too. */
function matchesLoosely({ words, open }: ShellPattern, argv: readonly Argument[]): boolean {
  const operands = words.filter((word) => !isOption(word));
  const wantsOptions = operands.length < words.length;
  if (wantsOptions && !argv.some(couldBeOption)) return false;
  let wanted = 0;
  let behindOption = false;
  for (const argument of argv) {
    if (argument.type !== 'fixed') {
      if (wanted < operands.length) return true;
    } else if (argument.text.startsWith('-')) {
      behindOption = true;
    } else {
      const word = operands[wanted];
      if (word && matchesWildcard(word, argument.text)) wanted += 1;
      else if (!behindOption && wanted < operands.length) return false;
      else if (!behindOption && !open) return false;
      behindOption = false;
    }
  }
  return wanted >= operands.length;
}

function isOption(word: Wildcard): boolean {
  return word[0] === '-';
}

function couldBeOption(argument: Argument): boolean {
  return argument.type === 'fixed' ? argument.text.startsWith('-') : argument.mayBeOption;
}
