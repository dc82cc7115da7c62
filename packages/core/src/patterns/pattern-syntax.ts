/**
 * The part of regular expressions that can be matched without ever going back: no references to what
 * a group held, nothing that looks ahead or behind, and nothing repeated that could be empty.
 */
export type Syntax =
  | { readonly type: 'character'; readonly fits: CharacterTest }
  | { readonly type: 'at'; readonly place: 'start' | 'end' | 'boundary' | 'no_boundary' }
  | { readonly type: 'group'; readonly index: number | undefined; readonly body: Syntax }
  | { readonly type: 'sequence'; readonly parts: readonly Syntax[] }
  | { readonly type: 'choice'; readonly options: readonly Syntax[] }
  | {
      readonly type: 'repeat';
      readonly body: Syntax;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      /** The groups in it, which forget at each repetition what they held. */
      readonly groups: readonly [first: number, after: number];
    };

export type CharacterTest = (character: string) => boolean;

/** Why a pattern is not taken, in words for its author. */
export class PatternProblem extends Error {}

const FLAGS = 'iu';
const PLACES = { '^': 'start', $: 'end', '\\b': 'boundary', '\\B': 'no_boundary' } as const;
/** One character of the text: a class, an escape or the character itself. */
const CHARACTER =
  /\[(?:\\.|[^\]\\])*\]|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\(?:x..|u\{[^}]*\}|u....|c.|[pP]\{[^}]*\}|.)|./suy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\??)/y;

export function parsePattern(source: string): { readonly syntax: Syntax; readonly groups: number } {
  try {
    new RegExp(source, FLAGS);
  } catch (error) {
    throw new PatternProblem(error instanceof Error ? error.message : 'not a regular expression');
  }
  return new Parser(source).parse();
}

/** Reads what is known to be a regular expression, and refuses what is beyond the part above. */
class Parser {
  #at = 0;
  #groups = 0;

  constructor(private readonly source: string) {}

  parse(): { readonly syntax: Syntax; readonly groups: number } {
    return { syntax: this.#choice(), groups: this.#groups };
  }

  #choice(): Syntax {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 && options[0] ? options[0] : { type: 'choice', options };
  }

  #sequence(): Syntax {
    const parts: Syntax[] = [];
    while (this.#at < this.source.length && !/[|)]/.test(this.source[this.#at] ?? '')) {
      const first = this.#groups + 1;
      const term = this.#term();
      parts.push(this.#repeated(term, first));
    }
    return { type: 'sequence', parts };
  }

  #term(): Syntax {
    if (this.#take('(')) return this.#group();
    for (const [written, place] of Object.entries(PLACES)) {
      if (this.#take(written)) return { type: 'at', place };
    }
    const [written] = this.#read(CHARACTER) ?? [];
    if (written === undefined) throw new PatternProblem('it cannot be read');
    if (/^\\[1-9k]/.test(written)) {
      throw new PatternProblem(`${written} refers to a group, which patterns here cannot`);
    }
    return { type: 'character', fits: characterTest(written) };
  }

  #group(): Syntax {
    const isPlain = !this.#take('?:');
    if (this.source[this.#at] === '?') {
      throw new PatternProblem('groups are ( ) and (?: ), without names, looking ahead or behind');
    }
    const index = isPlain ? ++this.#groups : undefined;
    const body = this.#choice();
    this.#take(')');
    return { type: 'group', index, body };
  }

  #repeated(body: Syntax, first: number): Syntax {
    const [, sign, least, comma, most, lazy] = this.#read(QUANTIFIER) ?? [];
    if (sign === undefined && least === undefined) return body;
    if (canBeEmpty(body)) throw new PatternProblem('what is repeated must not match nothing');
    const min = least === undefined ? Number(sign === '+') : Number(least);
    const max = sign === undefined ? maxOf(min, comma, most) : sign === '?' ? 1 : Infinity;
    return {
      type: 'repeat',
      body,
      min,
      max,
      isLazy: lazy === '?',
      groups: [first, this.#groups + 1],
    };
  }

  #take(written: string): boolean {
    if (!this.source.startsWith(written, this.#at)) return false;
    this.#at += written.length;
    return true;
  }

  #read(what: RegExp): RegExpExecArray | undefined {
    what.lastIndex = this.#at;
    const found = what.exec(this.source) ?? undefined;
    if (found) this.#at = what.lastIndex;
    return found;
  }
}

const KNOWN_CHARACTERS = 256;

/** Remembers what it found: the same few characters come again and again. */
export function characterTest(written: string): CharacterTest {
  const fits = new RegExp(`^${written}$`, FLAGS);
  const known = new Map<string, boolean>();
  return (character) => {
    let answer = known.get(character);
    if (answer === undefined) {
      answer = fits.test(character);
      if (known.size < KNOWN_CHARACTERS) known.set(character, answer);
    }
    return answer;
  };
}

function maxOf(min: number, comma: string | undefined, most: string | undefined): number {
  if (comma === undefined) return min;
  return most === '' || most === undefined ? Infinity : Number(most);
}

function canBeEmpty(syntax: Syntax): boolean {
  switch (syntax.type) {
    case 'character':
      return false;
    case 'at':
      return true;
    case 'group':
      return canBeEmpty(syntax.body);
    case 'sequence':
      return syntax.parts.every(canBeEmpty);
    case 'choice':
      return syntax.options.some(canBeEmpty);
    case 'repeat':
      return syntax.min === 0;
  }
}
