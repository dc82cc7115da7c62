import { plainText } from '../../kernel/plain-text.js';

/** How much of an incomplete line is kept. */
export const LINE_BYTES = 4_096;
/** How much of a line is sent. */
export const LINE_CHARS = 2_000;

const NEWLINE = 0x0a;

export interface ReadLine {
  readonly text: string;
  /** The line was longer. */
  readonly isCut: boolean;
}

/** Where reading resumes: after the last line that was returned. */
export interface ReadPosition {
  readonly offset: number;
  /** The position is inside a line that was cut; the rest of that line is skipped. */
  readonly isInRest: boolean;
}

/**
 * Splits output into lines as a terminal would show them, and knows the offset of the end of each line. A line that is longer
 * than `LINE_BYTES` is cut there and the rest of it is skipped, so no line takes more memory than that.
 */
export class LineReader {
  readonly #kept = new Uint8Array(LINE_BYTES);
  #length = 0;
  #read: number;
  #offset: number;
  #isInRest: boolean;

  constructor({ offset, isInRest }: ReadPosition) {
    this.#read = offset;
    this.#offset = offset;
    this.#isInRest = isInRest;
  }

  /** A new reader resumes here, and reads an incomplete line again. */
  get position(): ReadPosition {
    return { offset: this.#offset, isInRest: this.#isInRest };
  }

  /** The offset of the bytes that `take` expects next. */
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

  /** The output has ended: an incomplete line is the last one. */
  finish(): ReadLine[] {
    this.#offset = this.#read;
    return this.#isInRest ? [] : this.#line(true);
  }

  /** The output before this offset is gone. The line there has lost its beginning and is skipped. */
  skipTo(offset: number): void {
    this.#length = 0;
    this.#read = offset;
    this.#offset = offset;
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

  /** Empty if a terminal would show nothing of the line. */
  #line(isWhole: boolean): ReadLine[] {
    const bytes = this.#kept.subarray(0, this.#length);
    this.#length = 0;
    // The bytes of a cut line may end inside a character, which is left out.
    const decoded = new TextDecoder().decode(bytes, { stream: !isWhole });
    const text = asSeen(decoded);
    if (text === '') return [];
    const isLong = text.length > LINE_CHARS;
    return [{ text: isLong ? cut(text) : text, isCut: isLong || !isWhole }];
  }
}

/** A carriage return overwrites the line, as progress bars do. */
function asSeen(decoded: string): string {
  const shown = decoded.replace(/(?<!\r)\r+$/, '');
  const last = shown.slice(shown.lastIndexOf('\r') + 1);
  return plainText(last).replaceAll('\n', ' ').trimEnd();
}

/** Does not split a surrogate pair. */
function cut(text: string): string {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(LINE_CHARS - 1));
  return text.slice(0, isHalf ? LINE_CHARS - 1 : LINE_CHARS);
}
