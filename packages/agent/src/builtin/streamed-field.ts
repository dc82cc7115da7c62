/** The maximum before the text, which only contains the name of the field. */
const START_CHARS = 200;
const ESCAPE = /^\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/;
const ESCAPE_CHARS = 6;

/**
 * Reads the text of the only field of a JSON object while it is being written. If the JSON is something else, it returns no
 * more text; the complete JSON is read elsewhere.
 */
export class StreamedField {
  readonly #start: RegExp;
  #rest = '';
  #isInside = false;
  #isOver = false;

  constructor(name: string) {
    this.#start = new RegExp(`^\\s*\\{\\s*"${name}"\\s*:\\s*"`);
  }

  /** Returns the text in the piece. */
  add(piece: string): string {
    if (this.#isOver) return '';
    this.#rest += piece;
    if (!this.#isInside) {
      const start = this.#start.exec(this.#rest)?.[0];
      this.#isOver = start === undefined && this.#rest.length > START_CHARS;
      if (start === undefined) return '';
      this.#isInside = true;
      this.#rest = this.#rest.slice(start.length);
    }
    return this.#take();
  }

  #take(): string {
    const rest = this.#rest;
    let text = '';
    let at = 0;
    while (at < rest.length && !this.#isOver) {
      const plain = /^[^"\\]+/.exec(rest.slice(at))?.[0];
      if (plain !== undefined) {
        text += plain;
        at += plain.length;
        continue;
      }
      this.#isOver = rest[at] === '"';
      const escape = ESCAPE.exec(rest.slice(at, at + ESCAPE_CHARS))?.[0];
      if (escape === undefined) {
        // The escape may be incomplete.
        this.#isOver ||= rest.length - at >= ESCAPE_CHARS;
        break;
      }
      text += JSON.parse(`"${escape}"`) as string;
      at += escape.length;
    }
    this.#rest = rest.slice(at);
    return text;
  }
}
