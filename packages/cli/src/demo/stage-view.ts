import type { Writing } from '@stoa/client';
import type { Context } from '../context.js';
import type { Painter } from '../terminal/paint.js';
import { printable, printableLine } from '../terminal/printable.js';
import { displayWidth, shorten } from '../terminal/width.js';
import { WritingLine } from '../terminal/writing-line.js';
import type { Pace } from './pace.js';

const NAME_WIDTH = 10;
const WIDEST = 96;
const COLOURS: readonly (keyof Painter)[] = ['cyan', 'yellow', 'green'];
const LETTER_MS = 30;

/** The demonstration as it is seen: who says what in one column, what else happens beside it. */
export class StageView {
  private readonly line: WritingLine;
  private readonly colours = new Map<string, keyof Painter>();
  private readonly width: number;

  constructor(
    private readonly context: Context,
    private readonly pace: Pace,
    names: readonly string[],
  ) {
    const { io } = context;
    this.line = new WritingLine(
      (text) => io.out(text),
      () => io.columns,
    );
    this.width = Math.min(io.columns ?? WIDEST, WIDEST);
    names.forEach((name, i) => this.colours.set(name, COLOURS[i % COLOURS.length] ?? 'cyan'));
  }

  text(text: string): void {
    this.clear();
    this.context.line(wrapped(text, this.width).join('\n'));
  }

  title(text: string): void {
    const { paint } = this.context;
    this.clear();
    this.context.line(`\n${paint.bold(text)}\n${paint.dim('─'.repeat(this.width))}`);
  }

  /** The person, letter by letter where somebody watches. */
  async type(words: string): Promise<void> {
    const { io, paint } = this.context;
    this.clear();
    io.out(`${paint.bold('You'.padEnd(NAME_WIDTH))} `);
    for (const letter of words) {
      io.out(letter);
      await this.pace.wait(LETTER_MS);
    }
    io.out('\n');
  }

  say(name: string, words: string): void {
    this.clear();
    const margin = ' '.repeat(NAME_WIDTH + 1);
    const shown = printableLine(name);
    const lead = this.painted(
      name,
      shown + ' '.repeat(Math.max(0, NAME_WIDTH - displayWidth(shown))),
    );
    const lines = wrapped(printable(words), this.width - margin.length);
    this.context.line(`${lead} ${lines.join(`\n${margin}`)}`);
  }

  /** What happened that is no message. */
  fact(name: string, what: string): void {
    const { paint } = this.context;
    this.clear();
    const margin = ' '.repeat(NAME_WIDTH + 1);
    const shown = printableLine(name);
    const room = this.width - margin.length - displayWidth(shown) - 3;
    this.context.line(
      `${margin}${paint.dim('·')} ${this.painted(name, shown)} ${paint.dim(shorten(printableLine(what), room))}`,
    );
  }

  writing(writing: readonly Writing[]): void {
    if (this.context.io.outIsTerminal) this.line.show(writing);
  }

  clear(): void {
    this.line.clear();
  }

  private painted(name: string, text: string): string {
    const colour = this.colours.get(name);
    return colour === undefined ? text : this.context.paint[colour](text);
  }
}

/** At spaces; a word that is too long for a line has one of its own. */
export function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line !== '' && displayWidth(longer) > width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return [...lines, line];
  });
}
