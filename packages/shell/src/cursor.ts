import type { HereDocument, Script, WordPart } from './ast.js';

const DEEPEST = 60;

/** A here-document whose body begins behind the next newline. */
export interface AwaitedHereDocument extends HereDocument {
  readonly stripTabs: boolean;
  body: readonly WordPart[];
}

/** The parts of the grammar that call each other in a circle. */
export interface Grammar {
  /** A list up to the token that closes it; the caller checks that token. */
  readonly list: (cursor: Cursor) => Script;
  readonly readBodies: (cursor: Cursor) => void;
}

/**
 * A position in the text of a script.
 *
 * A backslash before a newline joins two lines everywhere but in single quotes, comments and
 * verbatim here-documents: `peek` and `next` step over it, `peekRaw` and `nextRaw` see it.
 */
export class Cursor {
  at = 0;
  /** Here-documents that were announced on this line, in order. */
  awaited: AwaitedHereDocument[] = [];
  /** A substitution was entered on a line that had announced here-documents. */
  private suspended = false;

  constructor(
    readonly text: string,
    readonly grammar: Grammar,
    private depth = 0,
  ) {}

  peek(): string | undefined {
    this.joinLines();
    return this.text[this.at];
  }

  next(): string | undefined {
    const character = this.peek();
    if (character !== undefined) this.at += 1;
    return character;
  }

  peekRaw(): string | undefined {
    return this.text[this.at];
  }

  nextRaw(): string | undefined {
    const character = this.text[this.at];
    if (character !== undefined) this.at += 1;
    return character;
  }

  /** Whether exactly this text comes next. */
  sees(text: string): boolean {
    const start = this.at;
    for (const character of text) {
      if (this.next() !== character) {
        this.at = start;
        return false;
      }
    }
    this.at = start;
    return true;
  }

  /** Steps over the text if it comes next. */
  takes(text: string): boolean {
    if (!this.sees(text)) return false;
    for (const _ of text) this.next();
    return true;
  }

  expects(text: string): void {
    if (!this.takes(text)) this.fail(`${JSON.stringify(text)} is missing`);
  }

  /** Looks ahead without moving. */
  ahead<T>(look: () => T): T {
    const start = this.at;
    const seen = look();
    this.at = start;
    return seen;
  }

  /** Blanks, and the comment that may follow where a token could begin. */
  skipBlanks(): void {
    for (;;) {
      const character = this.peek();
      if (character === ' ' || character === '\t') this.at += 1;
      else break;
    }
    if (this.peek() !== '#') return;
    while (this.peekRaw() !== undefined && this.peekRaw() !== '\n') this.at += 1;
  }

  /** Blanks, comments and newlines, with the here-documents that begin behind these. */
  skipLines(): void {
    this.skipBlanks();
    while (this.peek() === '\n') {
      this.at += 1;
      this.beginLine();
      this.skipBlanks();
    }
  }

  /** A newline inside quotes or a substitution: shells differ on where awaited bodies begin then. */
  refuseAwaited(): void {
    if (this.awaited.length > 0 || this.suspended) {
      this.fail('a here-document is announced on a line that does not end plainly');
    }
  }

  /** Runs a part of the grammar that can contain itself. */
  deeper<T>(parse: () => T): T {
    this.depth += 1;
    if (this.depth > DEEPEST) this.fail('it is nested too deeply');
    const parsed = parse();
    this.depth -= 1;
    return parsed;
  }

  /** Runs a substitution: its here-documents are its own and end inside it. */
  nested<T>(parse: () => T): T {
    const { awaited, suspended } = this;
    this.suspended ||= awaited.length > 0;
    this.awaited = [];
    const parsed = this.deeper(parse);
    if (this.awaited.length > 0) this.fail('a here-document has no body inside its substitution');
    this.awaited = awaited;
    this.suspended = suspended;
    return parsed;
  }

  /** A cursor on text that was taken out of this one. */
  inside(text: string): Cursor {
    if (this.depth >= DEEPEST) this.fail('it is nested too deeply');
    return new Cursor(text, this.grammar, this.depth + 1);
  }

  fail(message: string): never {
    throw new SyntaxFailure(message, this.at);
  }

  private beginLine(): void {
    if (this.suspended) this.refuseAwaited();
    if (this.awaited.length > 0) this.grammar.readBodies(this);
  }

  private joinLines(): void {
    while (this.text[this.at] === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
  }
}

/**
 * Carries the first thing that was not understood out of the recursive descent.
 * It never leaves `parseScript`, which returns it as a value.
 */
export class SyntaxFailure extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}
