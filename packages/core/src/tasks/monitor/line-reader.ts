import { plainText } from '../../kernel/plain-text.js';

/** What is kept of a line before it is whole. */
export const LINE_BYTES = 4_096;
/** What is told of a line. */
export const LINE_CHARS = 2_000;

const NEWLINE = 0x0a;

export interface ReadLine {
  readonly text: string;
  /** There was more of it than is told. */
  readonly isCut: boolean;
}

/** Where reading goes on: after the last line that was taken. */
export interface ReadPlace {
  readonly offset: number;
  /** In the middle of a line of which enough was taken: the rest of it is passed over. */
  readonly isInRest: boolean;
}

/**
 * Makes lines of bytes, as a person would see them in a terminal, and knows where in the output each
 * of them ends. A line without an end counts as one when it is as long as is kept; what follows up to
 * its end is passed over. So no line, however long, takes more memory than that.
 */
export class LineReader {
  readonly #kept = new Uint8Array(LINE_BYTES);
  #length = 0;
  #read: number;
  #offset: number;
  #isInRest: boolean;

  constructor({ offset, isInRest }: ReadPlace) {
    this.#read = offset;
    this.#offset = offset;
    this.#isInRest = isInRest;
  }

  /** Who begins anew begins here, and reads again what is kept of a line that is not whole. */
  get place(): ReadPlace {
    return { offset: this.#offset, isInRest: this.#isInRest };
  }

  /** The place of the bytes that are to be given next. */
  get readAt(): number {
    return this.#read;
  }

  take(bytes: Uint8Array): ReadLine[] {
    const lines: ReadLine[] = [];
    let at = 0;
    while (at < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, at);
      const end = newline < 0 ? bytes.length : newline;
      at += this.#keep(bytes.subarray(at, end));
      if (at === newline) {
        at += 1;
        this.#read += 1;
        if (!this.#isInRest) lines.push(...this.#line(true));
        this.#isInRest = false;
        this.#offset = this.#read;
      } else if (this.#length === LINE_BYTES) {
        lines.push(...this.#line(false));
        this.#isInRest = true;
        this.#offset = this.#read;
      }
    }
    return lines;
  }

  /** There is no more: what is kept is the last line. */
  finish(): ReadLine[] {
    this.#offset = this.#read;
    return this.#isInRest ? [] : this.#line(true);
  }

  /** What was to be read next is gone. The line that is read then has lost its beginning. */
  passOver(to: number): void {
    this.#length = 0;
    this.#read = to;
    this.#offset = to;
    this.#isInRest = true;
  }

  #keep(bytes: Uint8Array): number {
    if (this.#isInRest) {
      this.#read += bytes.length;
      this.#offset = this.#read;
      return bytes.length;
    }
    const kept = bytes.subarray(0, LINE_BYTES - this.#length);
    this.#kept.set(kept, this.#length);
    this.#length += kept.length;
    this.#read += kept.length;
    return kept.length;
  }

  /** None if nothing of it would be seen. */
  #line(isWhole: boolean): ReadLine[] {
    const bytes = this.#kept.subarray(0, this.#length);
    this.#length = 0;
    // A character that is not whole yet is no broken one.
    const decoded = new TextDecoder().decode(bytes, { stream: !isWhole });
    const text = asSeen(decoded);
    if (text === '') return [];
    const isLong = text.length > LINE_CHARS;
    return [{ text: isLong ? cut(text) : text, isCut: isLong || !isWhole }];
  }
}

/** A carriage return begins the line anew, as where progress is shown. */
function asSeen(decoded: string): string {
  const shown = decoded.replace(/(?<!\r)\r+$/, '');
  const last = shown.slice(shown.lastIndexOf('\r') + 1);
  return plainText(last).replaceAll('\n', ' ').trimEnd();
}

/** Not in the middle of a character. */
function cut(text: string): string {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(LINE_CHARS - 1));
  return text.slice(0, isHalf ? LINE_CHARS - 1 : LINE_CHARS);
}
