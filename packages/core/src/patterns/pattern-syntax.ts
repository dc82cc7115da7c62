/**
 * The subset of regular expressions that can be matched without backtracking: no back references, no lookahead or lookbehind,
 * and no repetition of a part that could be empty.
 */
export type Syntax =
  | { readonly type: 'character'; readonly fits: CharacterTest }
  | { readonly type: 'at'; readonly anchor: 'start' | 'end' | 'boundary' | 'no_boundary' }
  | { readonly type: 'group'; readonly index: number | undefined; readonly body: Syntax }
  | { readonly type: 'sequence'; readonly parts: readonly Syntax[] }
  | { readonly type: 'choice'; readonly options: readonly Syntax[] }
  | {
      readonly type: 'repeat';
      readonly body: Syntax;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      /** The groups in it, which are cleared at each repetition. */
      readonly groups: readonly [first: number, after: number];
    };

export type CharacterTest = (character: string) => boolean;

/** Why a pattern is refused; for its author. */
export class PatternProblem extends Error {}

const FLAGS = 'iu';
const ANCHORS = { '^': 'start', $: 'end', '\\b': 'boundary', '\\B': 'no_boundary' } as const;
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

/** Parses a valid regular expression, and refuses what is not part of the subset. */
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
    for (const [written, anchor] of Object.entries(ANCHORS)) {
      if (this.#take(written)) return { type: 'at', anchor };
    }
    const [written] = this.#read(CHARACTER) ?? [];
    if (written === undefined) throw new PatternProblem('it cannot be read');
    if (/^\\[1-9k]/.test(written)) {
      throw new PatternProblem(`${written} refers to a group, which is not supported`);
    }
    return { type: 'character', fits: characterTest(written) };
  }

  #group(): Syntax {
    const isPlain = !this.#take('?:');
    if (this.source[this.#at] === '?') {
      throw new PatternProblem(
        'only ( ) and (?: ) are supported as groups: no names, lookahead or lookbehind',
      );
    }
    const index = isPlain ? ++this.#groups : undefined;
    const body = this.#choice();
    this.#take(')');
    return { type: 'group', index, body };
  }

  #repeated(body: Syntax, first: number): Syntax {
    const [, sign, lower, comma, upper, lazy] = this.#read(QUANTIFIER) ?? [];
    if (sign === undefined && lower === undefined) return body;
    if (canBeEmpty(body)) throw new PatternProblem('a repeated part must not match the empty text');
    const min = lower === undefined ? Number(sign === '+') : Number(lower);
    const max = sign === undefined ? maxOf(min, comma, upper) : sign === '?' ? 1 : Infinity;
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

/** Caches results: texts consist of few different characters. */
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

function maxOf(min: number, comma: string | undefined, upper: string | undefined): number {
  if (comma === undefined) return min;
  return upper === '' || upper === undefined ? Infinity : Number(upper);
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
