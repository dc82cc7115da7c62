import { z } from 'zod';

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
  readonly report: LineSink;
}

export interface GrepLine {
  readonly path: string;
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
}

/** Receives the lines that a search finds. */
export interface LineSink {
  readonly isFull: boolean;
  add(line: GrepLine): void;
  /** Notes what was left out, and why. */
  note(text: string): void;
}
