import { NoteText } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

const RememberInput = z.strictObject({
  text: NoteText.describe(
    'One fact or decision, so that it is understood without this conversation',
  ),
});
type RememberInput = z.infer<typeof RememberInput>;

export const remember = defineTool<RememberInput>({
  name: 'remember',
  description:
    'Keeps a note beyond this conversation, for yourself and other agents of the person you work for, ' +
    'where you are now: in this channel, or outside of channels. Not for secrets; people can read and delete it.',
  input: RememberInput,
  kind: 'speak',
  title: ({ text }) => `Remember: ${text}`,
  subjects: () => Promise.resolve([{ type: 'none', isPrivate: true }]),
  async execute({ text }, { run }) {
    const noteId = await run.journal.remember(text);
    return { text: `Kept as ${noteId} in ${run.memoryScope.namespace}.` };
  },
});
