import type { Argument } from './argument.js';

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

export interface FoundCommand {
  /** Where the command begins. */
  readonly at: number;
  /** The options that were given, without their dashes, with their values. */
  readonly options: ReadonlyMap<string, string>;
  readonly assignments: readonly string[];
}

/** Where the inner command begins; nothing if that cannot be told. */
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
