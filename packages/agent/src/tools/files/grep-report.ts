import { cutText } from '../cut-text.js';
import type { GrepInput, GrepLine, LineSink } from './grep-search.js';

const LINE_CHARS = 500;
const DEFAULT_LIMIT = 250;

/** Collects the results of a search up to a limit. */
export class GrepReport implements LineSink {
  readonly #lines: string[] = [];
  readonly #notes: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #limit: number;
  #last: GrepLine | undefined;
  #isFull = false;

  constructor(
    private readonly input: GrepInput,
    private readonly shown: (path: string) => string,
  ) {
    this.#limit = input.limit ?? DEFAULT_LIMIT;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  add(line: GrepLine): void {
    if (this.#isFull) return;
    if (line.isMatch) {
      if (!this.#counts.has(line.path) && this.#counts.size >= this.#limit) {
        this.#isFull = true;
        return;
      }
      this.#counts.set(line.path, (this.#counts.get(line.path) ?? 0) + 1);
    }
    if ((this.input.output_mode ?? 'content') !== 'content') return;
    if (this.#lines.length >= this.#limit) {
      this.#isFull = true;
      return;
    }
    const mark = line.isMatch ? ':' : '-';
    const last = this.#last;
    const isGap = last && (last.path !== line.path || last.number + 1 !== line.number);
    if (isGap && (this.input.context ?? 0) > 0) this.#lines.push('--');
    this.#last = line;
    const text = cutText(line.text.replace(/\r?\n$/, ''), LINE_CHARS).replaceAll('\n', ' ');
    this.#lines.push(`${this.shown(line.path)}${mark}${line.number}${mark}${text}`);
  }

  note(text: string): void {
    this.#notes.push(`[${text}]`);
  }

  text(): string {
    const lines = this.#answer();
    if (lines.length === 0) return ['Nothing matches.', ...this.#notes].join('\n');
    const cut = this.#isFull ? [`[Only the first ${this.#limit} are shown]`] : [];
    return [...lines, ...cut, ...this.#notes].join('\n');
  }

  #answer(): readonly string[] {
    switch (this.input.output_mode) {
      case 'files_with_matches':
        return [...this.#counts.keys()].map(this.shown);
      case 'count':
        return [...this.#counts].map(([path, count]) => `${this.shown(path)}:${count}`);
      default:
        return this.#lines;
    }
  }
}
