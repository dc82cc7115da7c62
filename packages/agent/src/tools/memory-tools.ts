import type { RecalledAll } from '@stoa/core';
import { LIMITS, NoteId, NoteText } from '@stoa/protocol';
import { z } from 'zod';
import { noteLine } from '../boundary-note.js';
import { defineTool } from './tool.js';

const RememberInput = z.strictObject({
  text: NoteText.describe('One fact or decision that is clear without this conversation'),
});

export const remember = defineTool({
  name: 'remember',
  description:
    'Stores a note beyond this conversation, for you and other agents of the person you work for, in the ' +
    'memory of this channel, or outside channels. Not for secrets; people can read and delete it.',
  input: RememberInput,
  kind: 'speak',
  title: ({ text }) => `Remember: ${text}`,
  subjects: () => [{ type: 'none', isPrivate: true }],
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
    .describe('Words that a note or topic must all contain; by default the newest notes'),
  topic: z
    .string()
    .min(1)
    .max(LIMITS.titleChars)
    .optional()
    .describe('Name of a topic to read completely, as in the list of topics'),
  namespace: z
    .string()
    .min(1)
    .max(LIMITS.titleChars)
    .optional()
    .describe('Another memory, such as channel:ops'),
});

export const recall = defineTool({
  name: 'recall',
  description:
    'Reads memory: notes, newest first, and topics, which are longer texts written from many notes.',
  input: RecallInput,
  kind: 'read',
  title: ({ query }) => (query === undefined ? 'Recall' : `Recall: ${query}`),
  subjects: () => [{ type: 'none', isPrivate: true }],
  async execute(request, { run }) {
    return { text: recalledText(await run.recall(request)) };
  },
});

function recalledText(recalled: RecalledAll): string {
  const { namespace, notes, more, topics, moreTopics, index } = recalled;
  const parts = [
    ...topics.map(({ name, text, isWhole }) => `## ${name}\n${text}${isWhole ? '' : '\n…'}`),
    ...(moreTopics === 0 ? [] : [`(${String(moreTopics)} more topics: search with more words)`]),
    ...notes.map((note) => `${noteLine(note)} (${note.noteId})`),
    ...(more === 0 ? [] : [`(${String(more)} more: search with more words)`]),
  ];
  const nothing = `Nothing of this is remembered in ${namespace}.`;
  const topicLines = index.map(({ name, line }) => `- ${name}: ${line}`);
  const list = topicLines.length === 0 ? [] : ['', 'Topics:', ...topicLines];
  return [...(parts.length === 0 ? [nothing] : parts), ...list].join('\n');
}

const ForgetInput = z.strictObject({
  noteId: NoteId.describe('Id of the note (nte_…), as recall shows it'),
});

export const forget = defineTool({
  name: 'forget',
  description:
    'Deletes a note of the current memory that is wrong or out of date. People edit topics.',
  input: ForgetInput,
  kind: 'speak',
  title: ({ noteId }) => `Forget ${noteId}`,
  subjects: () => [{ type: 'none', isPrivate: true }],
  async execute({ noteId }, { run }) {
    await run.journal.forget(noteId);
    return { text: `Forgot ${noteId}.` };
  },
});
