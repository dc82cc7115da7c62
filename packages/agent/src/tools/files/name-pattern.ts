type Token =
  | { readonly type: 'star' }
  | { readonly type: 'any' }
  | { readonly type: 'character'; readonly character: string }
  | { readonly type: 'class'; readonly members: string; readonly isNegated: boolean };

/** A glob for one name: `*`, `?`, `[a-z]`, and `\` before a literal character. */
export class NamePattern {
  readonly #tokens: readonly Token[];
  /** What every name that matches ends with: most names are refused by this alone. */
  readonly #end: string;
  readonly #isPlain: boolean;

  constructor(pattern: string) {
    this.#tokens = readTokens(pattern);
    let end = '';
    let at = this.#tokens.length - 1;
    for (; at >= 0; at -= 1) {
      const token = this.#tokens[at];
      if (token?.type !== 'character') break;
      end = token.character + end;
    }
    this.#end = end;
    this.#isPlain = at < 0;
  }

  matches(name: string): boolean {
    if (this.#isPlain) return name === this.#end;
    return name.endsWith(this.#end) && matchTokens(this.#tokens, name);
  }
}

/** Goes back to the last `*` only: an earlier one cannot do better. */
function matchTokens(tokens: readonly Token[], name: string): boolean {
  let t = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    const token = tokens[t];
    if (token?.type === 'star') {
      star = t;
      resume = n;
      t += 1;
    } else if (token !== undefined && takes(token, name[n] ?? '')) {
      t += 1;
      n += 1;
    } else if (star >= 0) {
      resume += 1;
      n = resume;
      t = star + 1;
    } else return false;
  }
  while (tokens[t]?.type === 'star') t += 1;
  return t === tokens.length;
}

function takes(token: Token, character: string): boolean {
  switch (token.type) {
    case 'character':
      return token.character === character;
    case 'class':
      return inClass(token.members, character) !== token.isNegated;
    case 'any':
      return true;
    case 'star':
      return false;
  }
}

function readTokens(pattern: string): Token[] {
  const tokens: Token[] = [];
  const lastClosing = pattern.lastIndexOf(']');
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at] ?? '';
    const isClosed = character === '[' && at + 2 <= lastClosing;
    const end = isClosed ? pattern.indexOf(']', at + 2) : -1;
    if (character === '*') {
      if (tokens.at(-1)?.type !== 'star') tokens.push({ type: 'star' });
      at += 1;
    } else if (character === '?') {
      tokens.push({ type: 'any' });
      at += 1;
    } else if (character === '\\' && at + 1 < pattern.length) {
      tokens.push({ type: 'character', character: pattern[at + 1] ?? '' });
      at += 2;
    } else if (end >= 0) {
      const isNegated = pattern[at + 1] === '!' || pattern[at + 1] === '^';
      const members = pattern.slice(at + (isNegated ? 2 : 1), end);
      tokens.push({ type: 'class', members, isNegated });
      at = end + 1;
    } else {
      tokens.push({ type: 'character', character });
      at += 1;
    }
  }
  return tokens;
}

function inClass(members: string, character: string): boolean {
  for (let i = 0; i < members.length; i += 1) {
    const from = members[i] ?? '';
    const to = members[i + 1] === '-' ? members[i + 2] : undefined;
    if (to === undefined) {
      if (from === character) return true;
    } else {
      if (from <= character && character <= to) return true;
      i += 2;
    }
  }
  return false;
}
