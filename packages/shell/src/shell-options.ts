import type { Argument } from './argument.js';

/**
 * Options of a shell that change neither how a script is read nor which words go into the
 * environment of a command. With `-k` (`keyword`) every `NAME=value` does, with `-a` (`allexport`)
 * every variable; `-H` rewrites lines. Options that are not listed are taken to do so too.
 */
export const STEADY_LETTERS = 'befhlmnpruvxBCEPT';

const STEADY_OPTIONS: ReadonlySet<string> = new Set([
  ...[
    'braceexpand',
    'errexit',
    'errtrace',
    'functrace',
    'hashall',
    'monitor',
    'noclobber',
    'noexec',
  ],
  ...['noglob', 'notify', 'nounset', 'physical', 'pipefail', 'privileged', 'verbose', 'xtrace'],
]);

const STEADY_SHELL_OPTIONS: ReadonlySet<string> = new Set([
  ...[
    'dotglob',
    'failglob',
    'globstar',
    'inherit_errexit',
    'lastpipe',
    'nocaseglob',
    'nocasematch',
  ],
  ...['nullglob'],
]);

/** The name behind `-o` or `-O` of a shell. */
export function isSteadyOption(letter: string, name: string): boolean {
  return (letter === 'o' ? STEADY_OPTIONS : STEADY_SHELL_OPTIONS).has(name);
}

/** Whether `set` with these words does more than turn steady options on or off. */
export function setsOtherOptions(words: readonly Argument[]): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word?.type !== 'fixed' || !/^[-+][A-Za-z]+$/.test(word.text)) return true;
    const letters = word.text.slice(1);
    const named = letters.endsWith('o');
    const plain = named ? letters.slice(0, -1) : letters;
    if (!Array.from(plain).every((letter) => STEADY_LETTERS.includes(letter))) return true;
    if (!named) continue;
    at += 1;
    const name = words[at];
    if (name !== undefined && (name.type !== 'fixed' || !STEADY_OPTIONS.has(name.text)))
      return true;
  }
  return false;
}

/** The same for `shopt`, which only prints without `-s` and `-u`. */
export function setsOtherShellOptions(words: readonly Argument[]): boolean {
  const texts = words.map((word) => (word.type === 'fixed' ? word.text : undefined));
  if (texts.includes(undefined)) return true;
  const options = texts.filter((text) => text?.startsWith('-')).join('');
  if (!/[su]/.test(options)) return false;
  const names = texts.filter((text) => !text?.startsWith('-'));
  return options.includes('o') || !names.every((name) => STEADY_SHELL_OPTIONS.has(name ?? ''));
}
