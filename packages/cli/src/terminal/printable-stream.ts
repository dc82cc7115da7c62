import { printable } from './printable.js';

const INCOMPLETE = /(?:\r|[\ud800-\udbff])$/;

/**
 * Makes text printable that arrives in pieces: a line break or a character that was cut between two of
 * them is held back until its other half is there.
 */
export class PrintableStream {
  private held = '';

  write(piece: string): string {
    const text = this.held + piece;
    this.held = INCOMPLETE.exec(text)?.[0] ?? '';
    return printable(text.slice(0, text.length - this.held.length));
  }

  /** No more comes: what was held back is what it is. */
  end(): string {
    const { held } = this;
    this.held = '';
    return printable(held);
  }
}
