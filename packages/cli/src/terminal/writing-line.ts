import type { Writing } from '@stoa/client';
import { printableLine } from './printable.js';
import { displayWidth, shorten } from './width.js';

const CLEAR_LINE = '\r\u001b[2K';
const NARROW = 80;

/** One line at the end of a terminal that says who is writing, and is written over as they go on. */
export class WritingLine {
  private isShown = false;

  constructor(
    private readonly out: (text: string) => void,
    private readonly columns: () => number | undefined,
  ) {}

  show(writing: readonly Writing[]): void {
    this.clear();
    if (writing.length === 0) return;
    // A line that fills the last column would wrap, and could not be taken back.
    this.out(writingText(writing, (this.columns() ?? NARROW) - 1));
    this.isShown = true;
  }

  clear(): void {
    if (this.isShown) this.out(CLEAR_LINE);
    this.isShown = false;
  }
}

/** Of one who writes, the end of it; of several, who they are. */
export function writingText(writing: readonly Writing[], width: number): string {
  const names = writing.map(({ displayName }) => printableLine(displayName)).join(', ');
  const [only] = writing;
  if (!only || writing.length > 1) return shorten(`✎ ${names} are writing`, width);
  const lead = `✎ ${names} is writing: `;
  return shorten(lead + tailOf(printableLine(only.text), width - displayWidth(lead)), width);
}

function tailOf(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let tail = '';
  let used = 1;
  for (const character of Array.from(text.slice(-2 * Math.max(width, 1))).reverse()) {
    used += displayWidth(character);
    if (used > width) break;
    tail = character + tail;
  }
  return `…${tail}`;
}
