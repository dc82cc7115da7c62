import { BoardId, LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

const EmitOutputInput = z.strictObject({
  content: z.string().min(1).max(LIMITS.textChars).describe('What you say to whoever asked'),
  boards: z
    .array(z.strictObject({ boardId: BoardId, revision: z.int().min(1).optional() }))
    .max(LIMITS.inputItems - 1)
    .optional()
    .describe('Boards of yours to show with it; without a revision, as they are now'),
});
type EmitOutputInput = z.infer<typeof EmitOutputInput>;

export const emitOutput = defineTool<EmitOutputInput>({
  name: 'emit_output',
  description:
    'Gives your answer, in place of what you write last; boards can be shown with it. The last call ' +
    'counts.',
  input: EmitOutputInput,
  kind: 'speak',
  title: ({ content }) => `Say: ${content}`,
  subjects: () => Promise.resolve([{ type: 'none' }]),
  async execute({ content, boards = [] }, { run }) {
    await run.journal.emitOutput([
      { type: 'text', text: content },
      ...boards.map((board) => ({ type: 'board_reference' as const, ...board })),
    ]);
    return { text: 'It will be published when you are done.' };
  },
});
