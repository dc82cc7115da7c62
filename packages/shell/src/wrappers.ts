import { ANYTHING, type Argument } from './argument.js';
import { isKeyword } from './keyword.js';
import { isSteadyOption, STEADY_LETTERS } from './shell-options.js';

/**
 * What a command runs in its turn:
 *
 *   nothing    it is what it looks like
 *   command    it only runs the words from `at` on
 *   script     it reads `text` as a script
 *   unknown    it runs something that cannot be determined
 *   besides    it does its own work, and runs these as well
 *
 * `transparent` says that permission for what runs inside is permission for the whole; where it is
 * not, as with `sudo` or a changed environment, only a rule that names the wrapper can allow it.
 */
export type Inner =
  | { readonly type: 'nothing' }
  | {
      readonly type: 'command';
      readonly at: number;
      readonly argv: readonly Argument[];
      readonly transparent: boolean;
    }
  | { readonly type: 'script'; readonly text: string; readonly transparent: boolean }
  | { readonly type: 'unknown' }
  | { readonly type: 'besides'; readonly commands: readonly (readonly Argument[])[] };

const NOTHING: Inner = { type: 'nothing' };
const UNKNOWN: Inner = { type: 'unknown' };

interface Wrapper extends WrapperOptions {
  /** Never transparent. */
  readonly changes?: boolean;
  /** Transparent only without these options. */
  readonly unless?: readonly string[];
  /** With these options it runs nothing. */
  readonly idleWith?: readonly string[];
  /** Words that it adds or replaces are not known. */
  readonly feeds?: boolean;
  /** Shells know it as a keyword, behind which any command can follow. */
  readonly isKeyword?: boolean;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    flags: 'i0v',
    longFlags: ['ignore-environment', 'null', 'debug'],
    valued: 'uC',
    longValued: ['unset', 'chdir'],
    environment: true,
    unless: ['C', 'chdir', 'i', 'ignore-environment', 'u', 'unset'],
  },
  command: { flags: 'pvV', idleWith: ['v', 'V'] },
  builtin: {},
  exec: { flags: 'cl', valued: 'a', unless: ['a', 'c', 'l'] },
  nohup: {},
  time: {
    flags: 'pvaq',
    longFlags: ['portability', 'verbose', 'append', 'quiet'],
    valued: 'fo',
    longValued: ['format', 'output'],
    unless: ['o', 'output'],
    isKeyword: true,
  },
  nice: { valued: 'n', longValued: ['adjustment'], numbers: true },
  ionice: { flags: 't', longFlags: ['ignore'], valued: 'cn', longValued: ['class', 'classdata'] },
  timeout: {
    flags: 'v',
    longFlags: ['verbose', 'foreground', 'preserve-status'],
    valued: 'ks',
    longValued: ['kill-after', 'signal'],
    operands: 1,
  },
  setsid: { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] },
  stdbuf: { valued: 'ioe', longValued: ['input', 'output', 'error'] },
  xargs: {
    flags: '0rtpxo',
    longFlags: ['null', 'no-run-if-empty', 'verbose', 'exit', 'open-tty'],
    valued: 'IdnLPsEa',
    longValued: ['delimiter', 'max-args', 'max-lines', 'max-procs', 'max-chars', 'arg-file'],
    feeds: true,
  },
  sudo: {
    flags: 'ABbEHknPS',
    longFlags: ['preserve-env', 'non-interactive', 'set-home', 'background', 'stdin', 'askpass'],
    valued: 'ugCpDRTrth',
    longValued: ['user', 'group', 'chdir', 'prompt', 'host', 'chroot', 'role', 'type'],
    environment: true,
    changes: true,
  },
  doas: { flags: 'Ln', valued: 'uCa', changes: true },
  busybox: { changes: true },
  toybox: { changes: true },
  flock: {
    flags: 'sxeunFo',
    longFlags: ['shared', 'exclusive', 'unlock', 'nonblock', 'no-fork', 'close'],
    valued: 'wE',
    longValued: ['timeout', 'conflict-exit-code'],
    operands: 1,
    changes: true,
  },
};

/** Only there is a wrapper the one we know; any other file of that name may do what it likes. */
const TRUSTED_DIRECTORIES: ReadonlySet<string> = new Set(['', '/bin/', '/usr/bin/']);

/** They run text in a form of their own. */
const RUNNING: ReadonlySet<string> = new Set([
  ...['watch', 'parallel', 'compgen', 'complete', 'bind', 'enable', 'fc'],
]);

/** Shells whose language is the one we read. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash']);
const FOREIGN_SHELLS: ReadonlySet<string> = new Set(['zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh']);

export function splitName(name: string): { directory: string; base: string } {
  const cut = name.lastIndexOf('/') + 1;
  return { directory: name.slice(0, cut), base: name.slice(cut).toLowerCase() };
}

export function innerOf(argv: readonly Argument[]): Inner {
  const [name] = argv;
  if (name?.type !== 'fixed') return NOTHING;
  const { directory, base } = splitName(name.text);
  const trusted = TRUSTED_DIRECTORIES.has(directory);
  if (SHELLS.has(base)) return innerOfShell(argv, trusted);
  if (FOREIGN_SHELLS.has(base)) return UNKNOWN;
  if (base === 'find') return innerOfFind(argv);
  if (base === 'eval') return innerOfWords(argv.slice(1));
  if (name.text === 'source' || name.text === '.') return innerOfFile(argv[1]);
  if (RUNNING.has(base)) return UNKNOWN;
  if (base === 'trap') return innerOfTrap(argv);
  if (base === 'alias') return argv.some(definesAlias) ? UNKNOWN : NOTHING;
  const wrapper = Object.hasOwn(WRAPPERS, base) ? WRAPPERS[base] : undefined;
  return wrapper ? innerOfWrapper(argv, wrapper, trusted) : NOTHING;
}

function innerOfWrapper(argv: readonly Argument[], wrapper: Wrapper, trusted: boolean): Inner {
  const found = findCommand(argv, wrapper);
  if (!found) return UNKNOWN;
  const { at, options, assignments } = found;
  if (at >= argv.length || wrapper.idleWith?.some((option) => options.has(option))) return NOTHING;
  const changes = wrapper.changes ?? wrapper.unless?.some((option) => options.has(option)) ?? false;
  const inner = argv.slice(at);
  const [name] = inner;
  // More options where the command should be: this version of the wrapper is not the one we know.
  if (name?.type === 'fixed' && name.text.startsWith('-')) return UNKNOWN;
  // Behind `time -p` a shell reads a keyword as such: `time -p [[ x -eq 1 ]]`.
  if (wrapper.isKeyword && name?.type === 'fixed' && isKeyword(name.text)) return UNKNOWN;
  return {
    type: 'command',
    at,
    argv: wrapper.feeds ? fed(inner, options) : inner,
    transparent: trusted && !changes && assignments.length === 0,
  };
}

const COUNTS = ['n', 'L', 'max-args', 'max-lines'];

/**
 * xargs puts what it reads behind the words, or with `-I` in place of a text in any of them. With a
 * number of words as well, the option that comes last counts; here both do.
 */
function fed(
  inner: readonly Argument[],
  options: ReadonlyMap<string, string>,
): readonly Argument[] {
  const replaced = options.get('I');
  if (replaced === undefined) return [...inner, ANYTHING];
  const words = inner.map((word): Argument => {
    const kept = word.type === 'fixed' && !word.text.includes(replaced);
    return kept ? word : ANYTHING;
  });
  return COUNTS.some((option) => options.has(option)) ? [...words, ANYTHING] : words;
}

const SHELL_FLAGS = new RegExp(`^[-+][${STEADY_LETTERS}]*$`);
const SHELL_COMMAND = new RegExp(`^-[${STEADY_LETTERS}]*c[${STEADY_LETTERS}]*$`);
const SHELL_VALUED = new RegExp(`^[-+][${STEADY_LETTERS}]*([oO])$`);
const SHELL_LONG: ReadonlySet<string> = new Set([
  ...['--login', '--norc', '--noprofile', '--noediting'],
]);

/** A shell with a script in a word reads that; with a file it is like that file; else it is unknown. */
function innerOfShell(argv: readonly Argument[], trusted: boolean): Inner {
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at];
    if (word?.type !== 'fixed') return UNKNOWN;
    if (SHELL_COMMAND.test(word.text)) return shellCommand(argv.slice(at + 1), trusted);
    const letter = SHELL_VALUED.exec(word.text)?.[1];
    if (letter !== undefined) {
      at += 1;
      const name = argv[at];
      if (name?.type !== 'fixed' || !isSteadyOption(letter, name.text)) return UNKNOWN;
    } else if (!SHELL_LONG.has(word.text) && (word.text === '-' || !SHELL_FLAGS.test(word.text))) {
      return innerOfFile(word);
    }
  }
  return UNKNOWN;
}

/** A script in a file is like a program of that name, unless the file is what is fed to it. */
function innerOfFile(word: Argument | undefined): Inner {
  if (word?.type !== 'fixed' || /^[-+]/.test(word.text)) return UNKNOWN;
  return mayBeDescriptor(word.text) ? UNKNOWN : NOTHING;
}

/** `/dev/stdin` and its like, however the path to it is written. */
function mayBeDescriptor(path: string): boolean {
  if (!/(?:^|\/)(?:dev|proc)\//.test(path)) return false;
  return /^\/+(?:\.\/+)*(?:dev|proc)\//.test(path) || /(?:^|\/)\.\.\//.test(path);
}

/** Behind `-c` options may go on: `bash -c -e 'text'`. */
function shellCommand(rest: readonly Argument[], trusted: boolean): Inner {
  const [text] = rest;
  if (text?.type !== 'fixed' || /^[-+]/.test(text.text)) return UNKNOWN;
  return { type: 'script', text: text.text, transparent: trusted };
}

function innerOfWords(words: readonly Argument[]): Inner {
  const texts = words.map((word) => (word.type === 'fixed' ? word.text : undefined));
  if (texts.includes(undefined)) return UNKNOWN;
  if (texts.length === 0) return NOTHING;
  return { type: 'script', text: texts.join(' '), transparent: true };
}

function innerOfTrap(argv: readonly Argument[]): Inner {
  const [, ...rest] = argv;
  const [first] = rest;
  const action = first?.type === 'fixed' && first.text === '--' ? rest[1] : first;
  if (action === undefined) return NOTHING;
  if (action.type !== 'fixed') return UNKNOWN;
  if (/^(?:-[lp]?|\d*)$/.test(action.text)) return NOTHING;
  return { type: 'script', text: action.text, transparent: true };
}

function definesAlias(word: Argument): boolean {
  return word.type !== 'fixed' || word.text.includes('=');
}

const EXECUTING: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function innerOfFind(argv: readonly Argument[]): Inner {
  const commands: (readonly Argument[])[] = [];
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at];
    if (word?.type !== 'fixed') {
      if (word?.splits) commands.push([ANYTHING]);
    } else if (word.text === ';' || word.text === '+') {
      // The end of a command whose beginning was not seen.
      commands.push([ANYTHING]);
    } else if (EXECUTING.has(word.text)) {
      const end = endOfExec(argv, at + 1);
      const words = argv.slice(at + 1, end);
      commands.push(words.length > 0 ? words.map(withFoundFile) : [ANYTHING]);
      if (words.some((part) => part.type === 'unknown' && part.splits)) commands.push([ANYTHING]);
      at = end;
    }
  }
  return commands.length > 0 ? { type: 'besides', commands } : NOTHING;
}

function endOfExec(argv: readonly Argument[], from: number): number {
  for (let at = from; at < argv.length; at += 1) {
    const word = argv[at];
    const before = argv[at - 1];
    if (word?.type !== 'fixed') continue;
    if (word.text === ';') return at;
    if (word.text === '+' && before?.type === 'fixed' && before.text === '{}') return at;
  }
  return argv.length;
}

function withFoundFile(word: Argument): Argument {
  if (word.type !== 'fixed' || !word.text.includes('{}')) return word;
  const prefix = word.text.slice(0, word.text.indexOf('{}'));
  return { type: 'unknown', splits: true, mayBeOption: word.text.startsWith('-'), prefix };
}

/**
 * How to find what a wrapper runs behind its own options. An option that is in none of the lists
 * is not understood, and then what runs is unknown.
 */
export interface WrapperOptions {
  /** Options that stand alone: single letters, which can be put together, and long names. */
  readonly flags?: string;
  readonly longFlags?: readonly string[];
  /** Options with a value, in the same word or in the next. */
  readonly valued?: string;
  readonly longValued?: readonly string[];
  /** Words of its own before the command. */
  readonly operands?: number;
  /** `-10` is a number, as old versions of nice and others have it. */
  readonly numbers?: boolean;
  /** `NAME=value` before the command goes into its environment. */
  readonly environment?: boolean;
}

interface FoundCommand {
  /** Where the command begins. */
  readonly at: number;
  /** The options that were given, without their dashes, with their values. */
  readonly options: ReadonlyMap<string, string>;
  readonly assignments: readonly string[];
}

/** Where the inner command begins; nothing if that cannot be determined. */
export function findCommand(
  argv: readonly Argument[],
  wrapper: WrapperOptions,
): FoundCommand | undefined {
  const options = new Map<string, string>();
  const assignments: string[] = [];
  let at = 1;
  while (at < argv.length) {
    const word = argv[at];
    if (word?.type !== 'fixed') return undefined;
    if (word.text === '--') {
      at += 1;
      break;
    }
    if (word.text === '-' && wrapper.environment) {
      options.set('i', '');
      at += 1;
      continue;
    }
    if (!word.text.startsWith('-') || word.text === '-') break;
    const next = argv[at + 1];
    const taken = takeOption(word.text, next?.type === 'fixed' ? next.text : undefined, wrapper);
    if (!taken) return undefined;
    for (const [name, value] of taken.options) options.set(name, value);
    at += taken.words;
  }
  if (wrapper.environment) {
    for (; at < argv.length; at += 1) {
      const word = argv[at];
      if (word?.type !== 'fixed') return undefined;
      const name = /^([^=]+)=/.exec(word.text)?.[1];
      if (name === undefined) break;
      assignments.push(name);
    }
  }
  for (let operand = 0; operand < (wrapper.operands ?? 0); operand += 1, at += 1) {
    if (at < argv.length && argv[at]?.type !== 'fixed') return undefined;
  }
  return { at, options, assignments };
}

interface TakenOption {
  readonly words: 1 | 2;
  readonly options: readonly (readonly [name: string, value: string])[];
}

/** What an option word holds; nothing if it is not understood. */
function takeOption(
  text: string,
  next: string | undefined,
  wrapper: WrapperOptions,
): TakenOption | undefined {
  if (text.startsWith('--')) {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    if (wrapper.longFlags?.includes(name) && value === undefined) return alone([[name, '']]);
    if (!wrapper.longValued?.includes(name)) return undefined;
    if (value !== undefined) return alone([[name, value]]);
    return next === undefined ? undefined : { words: 2, options: [[name, next]] };
  }
  if (wrapper.numbers && /^-\d+$/.test(text)) return alone([]);
  const options: [string, string][] = [];
  for (let index = 1; index < text.length; index += 1) {
    const letter = text.charAt(index);
    if (wrapper.flags?.includes(letter)) {
      options.push([letter, '']);
      continue;
    }
    if (!wrapper.valued?.includes(letter)) return undefined;
    const value = text.slice(index + 1);
    if (value !== '') return alone([...options, [letter, value]]);
    return next === undefined ? undefined : { words: 2, options: [...options, [letter, next]] };
  }
  return alone(options);
}

function alone(options: TakenOption['options']): TakenOption {
  return { words: 1, options };
}
