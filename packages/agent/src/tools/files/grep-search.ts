import { z } from 'zod';
import { cutText } from '../cut-text.js';

export const GrepInput = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe('Regular expression, matched line by line'),
  path: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe('File or directory; by default the workspace'),
  glob: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only files whose path matches, such as **/*.ts'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .optional()
    .describe('content: matching lines (default); files_with_matches: paths; count: per file'),
  context: z.int().min(0).max(20).optional().describe('Lines shown around each match'),
  ignore_case: z.boolean().optional(),
  limit: z.int().min(1).max(2_000).optional().describe('Lines of the answer, 250 by default'),
});
export type GrepInput = z.infer<typeof GrepInput>;

export interface Search {
  readonly input: GrepInput;
  /** A directory, or the directory of the one file. */
  readonly root: string;
  readonly file?: string | undefined;
  /** Whether to search a file, by its path relative to the root. */
  readonly wants: (relative: string) => boolean;
  readonly report: GrepReport;
}

export interface GrepLine {
  readonly path: string;
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
}

const LINE_CHARS = 500;
const DEFAULT_LIMIT = 250;

/** Collects the results of a search up to a limit. */
export class GrepReport {
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

  /** Notes what was left out, and why. */
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
