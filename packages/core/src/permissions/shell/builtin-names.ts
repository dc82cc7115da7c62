import type { Argument } from './argument.js';

/** What a builtin does to the variables of its shell, and whether it may run something as well. */
export interface BuiltinEffect {
  /** The variables that it sets or removes. */
  readonly assigns: readonly string[];
  /** It may run a command that is not one of its words. */
  readonly unknown: boolean;
}

export const NO_EFFECT: BuiltinEffect = { assigns: [], unknown: false };
export const UNKNOWN_EFFECT: BuiltinEffect = { assigns: [], unknown: true };

/** Setting one of these makes the shell run its value, or a file that it names. */
export const RUNNING_VARIABLES: ReadonlySet<string> = new Set([
  ...['PS0', 'PS1', 'PS2', 'PS4', 'PROMPT_COMMAND', 'BASH_ENV', 'ENV', 'SHELLOPTS', 'BASHOPTS'],
]);

/** What follows from setting these; a word that does not give a plain name has an unknown effect. */
export function effectOfNames(
  words: readonly Argument[],
  nameOf: (word: Argument) => string | undefined = plainName,
): BuiltinEffect {
  const names = words.map(nameOf);
  const assigns = names.filter((name) => name !== undefined);
  const runs = assigns.some((name) => RUNNING_VARIABLES.has(name));
  return { assigns, unknown: runs || assigns.length < names.length };
}

function plainName(word: Argument): string | undefined {
  return word.type === 'fixed' && /^[A-Za-z_]\w*$/.test(word.text) ? word.text : undefined;
}

/** The name in `NAME` or `NAME=value`. A list in quotes is expanded when it is assigned. */
export function assignedName(word: Argument): string | undefined {
  if (word.type === 'unknown') return /^([A-Za-z_]\w*)\+?=/.exec(word.prefix)?.[1];
  const [, name, value = ''] = /^([A-Za-z_]\w*)(?:\+?=(.*))?$/s.exec(word.text) ?? [];
  return /^\(.*[$`]/s.test(value) ? undefined : name;
}
