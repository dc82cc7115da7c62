import type { Argument } from './argument.js';

/** Builtins that take names of variables, and read a subscript in one as a word to expand. */
const NAMING: ReadonlySet<string> = new Set([
  ...['declare', 'typeset', 'local', 'export', 'readonly', 'unset', 'read', 'printf', 'getopts'],
  ...['test', '[', '[[', 'mapfile', 'readarray', 'wait'],
]);

/** Setting one of these makes the shell run its value, or a file that it names. */
export const RUNNING_VARIABLES: ReadonlySet<string> = new Set([
  ...['PS0', 'PS1', 'PS2', 'PS4', 'PROMPT_COMMAND', 'BASH_ENV', 'ENV', 'SHELLOPTS', 'BASHOPTS'],
]);

/** Whether a builtin would run what stands in one of its quoted words: `printf -v 'a[$(id)]' x`. */
export function runsItsWords([name, ...rest]: readonly Argument[]): boolean {
  if (name?.type !== 'fixed') return false;
  if (name.text === 'let') {
    return rest.some((word) => word.type !== 'fixed' || /[A-Za-z_]/.test(word.text));
  }
  if (name.text === 'mapfile' || name.text === 'readarray') {
    return rest.some((word) => word.type !== 'fixed' || /^-.*C/.test(word.text));
  }
  if (!NAMING.has(name.text)) return false;
  return rest.some((word) => {
    if (word.type !== 'fixed') return false;
    const assigned = /^(\w+)\+?=/.exec(word.text)?.[1];
    if (assigned !== undefined && RUNNING_VARIABLES.has(assigned)) return true;
    const [, ...subscripts] = word.text.split('[');
    return subscripts.some((text) => /\$[({]|`/.test(text));
  });
}
