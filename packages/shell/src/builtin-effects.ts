import type { Argument } from './argument.js';
import { setsOtherOptions, setsOtherShellOptions } from './shell-options.js';
import { findCommand, type WrapperOptions } from './wrappers.js';

/** What a builtin does to the variables of its shell, and whether it may run something as well. */
interface BuiltinEffect {
  /** The variables that it sets or removes. */
  readonly assigns: readonly string[];
  /** It may run a command that is not one of its words. */
  readonly unknown: boolean;
}

const NO_EFFECT: BuiltinEffect = { assigns: [], unknown: false };
const UNKNOWN_EFFECT: BuiltinEffect = { assigns: [], unknown: true };

/** Setting one of these makes the shell run its value, or a file that it names. */
export const RUNNING_VARIABLES: ReadonlySet<string> = new Set([
  ...['PS0', 'PS1', 'PS2', 'PS4', 'PROMPT_COMMAND', 'BASH_ENV', 'ENV', 'SHELLOPTS', 'BASHOPTS'],
]);

/** What follows from setting these; a word that does not give a plain name has an unknown effect. */
function effectOfNames(
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
function assignedName(word: Argument): string | undefined {
  if (word.type === 'unknown') return /^([A-Za-z_]\w*)\+?=/.exec(word.prefix)?.[1];
  const [, name, value = ''] = /^([A-Za-z_]\w*)(?:\+?=(.*))?$/s.exec(word.text) ?? [];
  return /^\(.*[$`]/s.test(value) ? undefined : name;
}

/**
 * What a builtin does to the shell that runs it. Each builtin that takes names of variables is
 * listed here: it sets them, and it expands a subscript in a name as a word, so that a name which
 * is not a plain identifier can run a command (`printf -v 'a[$(id)]' x`). An option that is not in
 * the list of its builtin makes the effect unknown.
 */
const EFFECTS: Readonly<Record<string, (argv: readonly Argument[]) => BuiltinEffect>> = {
  printf: effectOfPrintf,
  read: naming({ flags: 'ers', valued: 'adinNptu' }, { option: 'a', otherwise: 'REPLY' }),
  mapfile: naming({ flags: 't', valued: 'dnOsuc' }, { otherwise: 'MAPFILE' }),
  readarray: naming({ flags: 't', valued: 'dnOsuc' }, { otherwise: 'MAPFILE' }),
  getopts: effectOfGetopts,
  wait: effectOfWait,
  unset: naming({ flags: 'fvn' }),
  declare: effectOfDeclaration,
  typeset: effectOfDeclaration,
  local: effectOfDeclaration,
  export: effectOfDeclaration,
  readonly: effectOfDeclaration,
  let: effectOfLet,
  test: ([, ...words]) => effectOfTest(words),
  '[': ([, ...words]) => effectOfTest(words.slice(0, -1)),
  set: ([, ...words]) => changing(setsOtherOptions(words), 'SHELLOPTS'),
  shopt: ([, ...words]) => changing(setsOtherShellOptions(words), 'BASHOPTS'),
  hash: effectOfHash,
  jobs: effectOfJobs,
};

export function effectOf(argv: readonly Argument[]): BuiltinEffect {
  const [name] = argv;
  if (name?.type !== 'fixed' || !Object.hasOwn(EFFECTS, name.text)) return NO_EFFECT;
  return EFFECTS[name.text]?.(argv) ?? NO_EFFECT;
}

/** A builtin whose operands are names; with none it sets `otherwise`. */
function naming(
  options: WrapperOptions,
  { option, otherwise }: { readonly option?: string; readonly otherwise?: string } = {},
): (argv: readonly Argument[]) => BuiltinEffect {
  return (argv) => {
    const found = findCommand(argv, options);
    if (!found) return UNKNOWN_EFFECT;
    const inOption = option === undefined ? undefined : found.options.get(option);
    const names = argv.slice(found.at);
    if (inOption !== undefined) return effectOfNames([{ type: 'fixed', text: inOption }, ...names]);
    if (names.length > 0) return effectOfNames(names);
    return otherwise === undefined ? NO_EFFECT : { assigns: [otherwise], unknown: false };
  };
}

/** Its only option is `-v NAME`, in one word or two. */
function effectOfPrintf([, first, second]: readonly Argument[]): BuiltinEffect {
  if (first === undefined) return NO_EFFECT;
  if (first.type !== 'fixed') {
    return first.splits || first.mayBeOption ? UNKNOWN_EFFECT : NO_EFFECT;
  }
  if (!first.text.startsWith('-v')) return NO_EFFECT;
  if (first.text !== '-v') return effectOfNames([{ type: 'fixed', text: first.text.slice(2) }]);
  return second ? effectOfNames([second]) : NO_EFFECT;
}

function effectOfGetopts(argv: readonly Argument[]): BuiltinEffect {
  const found = findCommand(argv, { operands: 1 });
  if (!found) return UNKNOWN_EFFECT;
  const name = argv[found.at];
  if (!name) return NO_EFFECT;
  const { assigns, unknown } = effectOfNames([name]);
  return { assigns: [...assigns, 'OPTARG', 'OPTIND'], unknown };
}

function effectOfWait(argv: readonly Argument[]): BuiltinEffect {
  const number = (word: Argument) => word.type === 'unknown' && !word.splits && !word.mayBeOption;
  const found = findCommand(
    argv.filter((word) => !number(word)),
    { flags: 'nf', valued: 'p' },
  );
  if (!found) return UNKNOWN_EFFECT;
  const name = found.options.get('p');
  return name === undefined ? NO_EFFECT : effectOfNames([{ type: 'fixed', text: name }]);
}

/** Without operands it prints; a reference or an integer evaluates what it is given later. */
function effectOfDeclaration([, ...words]: readonly Argument[]): BuiltinEffect {
  const end = words.findIndex((word) => word.type !== 'fixed' || !/^[-+]\w*$/.test(word.text));
  const at = end < 0 ? words.length : end;
  const first = words[at];
  const operands = words.slice(first?.type === 'fixed' && first.text === '--' ? at + 1 : at);
  if (operands.length === 0) return NO_EFFECT;
  const evaluates = words
    .slice(0, at)
    .some((word) => word.type === 'fixed' && /^-.*[in]/.test(word.text));
  const { assigns, unknown } = effectOfNames(operands, assignedName);
  return { assigns, unknown: unknown || evaluates };
}

function effectOfLet([, ...words]: readonly Argument[]): BuiltinEffect {
  const runs = words.some((word) => word.type !== 'fixed' || /[A-Za-z_]/.test(word.text));
  return runs ? UNKNOWN_EFFECT : NO_EFFECT;
}

/**
 * `-v NAME` and `-R NAME` expand a subscript in the name. Every word that can be the option counts,
 * with every word behind it that can be such a name.
 */
function effectOfTest(words: readonly Argument[]): BuiltinEffect {
  const evaluates = words.some((word, index) => {
    if (word.type === 'unknown' && word.splits) return true;
    const next = words[index + 1];
    return next !== undefined && mayAskForName(word) && mayHaveSubscript(next);
  });
  return evaluates ? UNKNOWN_EFFECT : NO_EFFECT;
}

function mayAskForName(word: Argument): boolean {
  return word.type === 'fixed' ? /^-[vR]$/.test(word.text) : word.mayBeOption;
}

function mayHaveSubscript(word: Argument): boolean {
  return word.type !== 'fixed' || word.text.includes('[');
}

/** `hash -p FILE NAME` makes NAME run FILE. */
function effectOfHash(argv: readonly Argument[]): BuiltinEffect {
  const found = findCommand(argv, { flags: 'rdlt' });
  return found ? NO_EFFECT : UNKNOWN_EFFECT;
}

/** `jobs -x` runs its other words. */
function effectOfJobs(argv: readonly Argument[]): BuiltinEffect {
  const found = findCommand(argv, { flags: 'lnprs' });
  return found ? NO_EFFECT : UNKNOWN_EFFECT;
}

function changing(changes: boolean, variable: string): BuiltinEffect {
  return changes ? { assigns: [variable], unknown: false } : NO_EFFECT;
}
