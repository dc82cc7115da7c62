import * as api from '../index.js';
import type { Tx } from '../sql/statement.js';

const m1 = { topicId: 30 };
const named = { ...m1, memoryId: 'mem_1', ownerId: 'human:ada', namespace: 'channel:ops' };
const all = { ownerId: null, namespace: null, before: 99, limit: 9 };

/** A memory, verb by verb; after the other tours. */
export const memoryTour: readonly (readonly [string, () => Tx<unknown>])[] = [
  ['listChannelsOf', () => api.listChannelsOf.all({ actorId: 'session:ses_1' })],
  ['beginTopic', () => api.beginTopic.run({ name: 'memory:mem_1' })],
  ['beginTopic, again', () => api.beginTopic.run({ name: 'memory:mem_1' })],
  ['putMemory', () => api.putMemory.run({ ...named, updatedAt: 20 })],
  ['putMemory, again', () => api.putMemory.run({ ...named, updatedAt: 21 })],
  [
    'putMemory, another',
    () =>
      api.putMemory.run({
        topicId: 31,
        memoryId: 'mem_2',
        ownerId: 'human:bob',
        namespace: 'channel:ops',
        updatedAt: 20,
      }),
  ],
  ...['{"text":"one"}', '{"text":"two"}'].map(
    (body, i) =>
      [
        `event of note ${String(i + 1)}`,
        () =>
          api.insertEvent.run({
            ...m1,
            seq: 2 + i,
            at: 22 + i,
            type: 'note_kept',
            actor: 'session:ses_1',
            body,
          }),
      ] as const,
  ),
  ['insertNote', () => api.insertNote.run({ ...m1, seq: 2, noteId: 'nte_1', isolated: 0 })],
  [
    'insertNote, held apart',
    () => api.insertNote.run({ ...m1, seq: 3, noteId: 'nte_2', isolated: 1 }),
  ],
  ['touchMemory', () => api.touchMemory.run({ ...m1, at: 23 })],
  ['findMemory', () => api.findMemory.first({ memoryId: 'mem_1' })],
  ['findMemory, none', () => api.findMemory.first({ memoryId: 'mem_9' })],
  ['listMemories', () => api.listMemories.all(all)],
  ['listMemories, of one', () => api.listMemories.all({ ...all, ownerId: 'human:ada' })],
  ['listMemories, of a name', () => api.listMemories.all({ ...all, namespace: 'x' })],
  ['listMemories, before', () => api.listMemories.all({ ...all, before: 31 })],
  ['countMemories', () => api.countMemories.first({ ownerId: 'human:ada' })],
  ['findNote', () => api.findNote.first({ ...m1, noteId: 'nte_1' })],
  ['listNotes', () => api.listNotes.all({ ...m1, isolated: 1, before: 99, limit: 9 })],
  [
    'listNotes, from outside',
    () => api.listNotes.all({ ...m1, isolated: 0, before: 99, limit: 9 }),
  ],
  ['listNotes, before', () => api.listNotes.all({ ...m1, isolated: 1, before: 3, limit: 9 })],
  ...Object.entries(api.MEMORY_PROJECTIONS).map(
    ([table, dump]) =>
      [`dump of ${table}`, () => dump.all({ ...m1, offset: 0, limit: 9 })] as const,
  ),
  ['deleteNote', () => api.deleteNote.run({ ...m1, noteId: 'nte_1' })],
  ['deleteNotes', () => api.deleteNotes.run(m1)],
];
