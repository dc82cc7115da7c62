import type { RecalledAll } from '@stoa/core';
import { LIMITS, NoteId, NoteText } from '@stoa/protocol';
import { z } from 'zod';
import { noteLine } from '../boundary-note.js';
import { defineTool } from './tool.js';

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

const RecallInput = z.strictObject({
  query: z
    .string()
    .max(LIMITS.searchChars)
    .optional()
    .describe('Words that all have to be in a note or a topic; else the newest notes'),
  topic: z
    .string()
    .min(1)
    .max(LIMITS.titleChars)
    .optional()
    .describe('Name of a topic to read whole, as the list of topics has it'),
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
  description:
    'Reads what is remembered: notes, the newest first, and topics, which are longer and were put together from many.',
  input: RecallInput,
  kind: 'read',
  title: ({ query }) => (query === undefined ? 'Recall' : `Recall: ${query}`),
  subjects: () => Promise.resolve([{ type: 'none', isPrivate: true }]),
  async execute(request, { run }) {
    return { text: recalledText(await run.recall(request)) };
  },
});

function recalledText(recalled: RecalledAll): string {
  const { namespace, notes, more, topics, moreTopics, index } = recalled;
  const parts = [
    ...topics.map(({ name, text, isWhole }) => `## ${name}\n${text}${isWhole ? '' : '\n…'}`),
    ...(moreTopics === 0 ? [] : [`(${String(moreTopics)} more topics: name words that they have)`]),
    ...notes.map((note) => `${noteLine(note)} (${note.noteId})`),
    ...(more === 0 ? [] : [`(${String(more)} more: name words that they have)`]),
  ];
  const nothing = `Nothing of this is remembered in ${namespace}.`;
  const topicLines = index.map(({ name, line }) => `- ${name}: ${line}`);
  const list = topicLines.length === 0 ? [] : ['', 'Topics:', ...topicLines];
  return [...(parts.length === 0 ? [nothing] : parts), ...list].join('\n');
}

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
