import { NoteId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

const ForgetInput = z.strictObject({
  noteId: NoteId.describe('Id of the note (nte_…), as recall shows it'),
});
type ForgetInput = z.infer<typeof ForgetInput>;

export const forget = defineTool<ForgetInput>({
  name: 'forget',
  description:
    'Takes back a note that was kept where you are now, because it is wrong or out of date. ' +
    'Topics are edited by people.',
  input: ForgetInput,
  kind: 'speak',
  title: ({ noteId }) => `Forget ${noteId}`,
  subjects: () => Promise.resolve([{ type: 'none', isPrivate: true }]),
  async execute({ noteId }, { run }) {
    await run.journal.forget(noteId);
    return { text: `Forgot ${noteId}.` };
  },
});
