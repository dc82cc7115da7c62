import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

const EmitOutputInput = z.strictObject({
  content: z.string().min(1).max(LIMITS.textChars).describe('What you say to whoever asked'),
});
type EmitOutputInput = z.infer<typeof EmitOutputInput>;

export const emitOutput = defineTool<EmitOutputInput>({
  name: 'emit_output',
  description:
    'Gives your answer: it is published where the request came from when you are done. The last ' +
    'one counts.',
  input: EmitOutputInput,
  kind: 'speak',
  title: ({ content }) => `Say: ${content}`,
  subjects: () => Promise.resolve([{ type: 'none' }]),
  async execute({ content }, { run }) {
    await run.journal.emitOutput([{ type: 'text', text: content }]);
    return { text: 'It will be published when you are done.' };
  },
});
