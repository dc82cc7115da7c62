import type { Recalled } from '@stoa/core';
import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { noteLine } from '../../boundary-note.js';
import { defineTool } from '../tool.js';

const RecallInput = z.strictObject({
  query: z
    .string()
    .max(LIMITS.searchChars)
    .optional()
    .describe('Words that all have to be in a note; else the newest'),
  namespace: z
    .string()
    .min(1)
    .max(LIMITS.titleChars)
    .optional()
    .describe('Another memory than the one here, such as channel:ops'),
});
type RecallInput = z.infer<typeof RecallInput>;

export const recall = defineTool<RecallInput>({
  name: 'recall',
  description: 'Reads what was kept with remember, the newest first.',
  input: RecallInput,
  kind: 'read',
  title: ({ query }) => (query === undefined ? 'Recall' : `Recall: ${query}`),
  subjects: () => Promise.resolve([{ type: 'none' }]),
  async execute(request, { run }) {
    return { text: recalledText(await run.recall(request)) };
  },
});

function recalledText({ namespace, notes, more }: Recalled): string {
  if (notes.length === 0) return `Nothing of this is remembered in ${namespace}.`;
  const left = more === 0 ? [] : [`(${String(more)} more: name words that they have)`];
  return [...notes.map(noteLine), ...left].join('\n');
}
