import * as api from '../index.js';
import type { Tx } from '../sql/statement.js';

const m1 = { topicId: 30 };
const named = { ...m1, memoryId: 'mem_1', ownerId: 'human:ada', namespace: 'channel:ops' };
const all = { ownerId: null, namespace: null, before: 99, limit: 9 };

const g1 = { gateKey: 'mem_1' };
const gate = { ...g1, memoryId: 'mem_1', ownerId: 'human:ada', namespace: 'ops', part: 'shared' };

/** A memory, statement by statement; after the other tours. */
export const memoryTour: readonly (readonly [string, () => Tx<unknown>])[] = [
  ['listChannelsOf', () => api.listChannelsOf.all({ actorId: 'session:ses_1' })],
  ['beginTopic', () => api.beginTopic.changes({ name: 'memory:mem_1' })],
  ['beginTopic, again', () => api.beginTopic.changes({ name: 'memory:mem_1' })],
  ['putMemory', () => api.putMemory.changes({ ...named, updatedAt: 20 })],
  ['putMemory, again', () => api.putMemory.changes({ ...named, updatedAt: 21 })],
  [
    'putMemory, another',
    () =>
      api.putMemory.changes({
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
          api.insertEvent.changes({
            ...m1,
            seq: 2 + i,
            at: 22 + i,
            type: 'note_kept',
            actor: 'session:ses_1',
            body,
          }),
      ] as const,
  ),
  ['insertNote', () => api.insertNote.changes({ ...m1, seq: 2, noteId: 'nte_1', isolated: 0 })],
  [
    'insertNote, isolated',
    () => api.insertNote.changes({ ...m1, seq: 3, noteId: 'nte_2', isolated: 1 }),
  ],
  ['touchMemory', () => api.touchMemory.changes({ ...m1, at: 23 })],
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
  ...Object.entries(api.MEMORY_TABLES).map(
    ([table, dump]) =>
      [`dump of ${table}`, () => dump.all({ ...m1, offset: 0, limit: 9 })] as const,
  ),
  ['ensureDreamGate', () => api.ensureDreamGate.changes(gate)],
  ['ensureDreamGate, again', () => api.ensureDreamGate.changes(gate)],
  ['lockDreamGate', () => api.lockDreamGate.first(g1)],
  [
    'setDreamCheck',
    () => api.setDreamCheck.changes({ ...g1, checkedAt: 30, refusal: null, scannedAt: 30 }),
  ],
  ['takeDreamLease', () => api.takeDreamLease.changes({ ...g1, holder: 'tsk_1', until: 40 })],
  [
    'releaseDreamLease, of another',
    () => api.releaseDreamLease.changes({ ...g1, holder: 'tsk_2' }),
  ],
  ['findDreamGate', () => api.findDreamGate.first(g1)],
  ['releaseDreamLease', () => api.releaseDreamLease.changes({ ...g1, holder: 'tsk_1' })],
  ['dropDreamLeases', () => api.dropDreamLeases.changes({ memoryId: 'mem_1' })],
  ['setDreamt', () => api.setDreamt.changes({ ...g1, at: 31 })],
  ['findDreamGate, released', () => api.findDreamGate.first(g1)],
  ...[1, 2, 3].map(
    (at) =>
      [
        `insertMemoryVisit ${String(at)}`,
        () =>
          api.insertMemoryVisit.changes({
            ...g1,
            runId: `run_${String(at)}`,
            sessionId: `ses_${String(at % 2)}`,
            at,
          }),
      ] as const,
  ),
  ['countMemoryVisitors', () => api.countMemoryVisitors.first({ ...g1, sessionId: 'ses_0' })],
  ['trimMemoryVisits', () => api.trimMemoryVisits.changes({ ...g1, kept: 2 })],
  ['listMemoryVisits', () => api.listMemoryVisits.all({ ...g1, limit: 9 })],
  ['deleteMemoryVisits', () => api.deleteMemoryVisits.changes({ ...g1, upTo: 2 })],
  ['listMemoryVisits, left', () => api.listMemoryVisits.all({ ...g1, limit: 9 })],
  ['deleteNote', () => api.deleteNote.changes({ ...m1, noteId: 'nte_1' })],
  ['deleteNotes', () => api.deleteNotes.changes(m1)],
];
