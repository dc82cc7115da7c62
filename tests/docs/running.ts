import { codeBlocks } from './code-blocks.js';
import { DOCUMENTS, read } from './documents.js';

/** The pages with examples that run. */
export const RUNNING: readonly string[] = DOCUMENTS.filter((file) =>
  codeBlocks(read(file)).some(({ mark }) => mark === 'run'),
);
