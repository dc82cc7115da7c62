import {
  deleteNote,
  deleteNotes,
  insertErasure,
  insertNote,
  putMemory,
  raiseFloor,
  touchMemory,
} from '@stoa/store';
import type { Projections } from '../kernel/module.js';

/** Updates the tables of memories. */
export const MEMORY_EVENTS: Projections = {
  *memory_opened(position, event) {
    const { topicId, at } = position;
    yield* putMemory.run({ topicId, updatedAt: at, ...event.data });
  },
  *note_kept(position, event) {
    const { topicId, seq, at } = position;
    const { noteId, mode } = event.data;
    yield* insertNote.run({ topicId, seq, noteId, isolated: mode === 'isolated' ? 1 : 0 });
    yield* touchMemory.run({ topicId, at });
  },
  *note_deleted(position, event) {
    const { topicId, at } = position;
    yield* deleteNote.run({ topicId, noteId: event.data.noteId });
    yield* touchMemory.run({ topicId, at });
  },
  *memory_cleared(position, event) {
    const { topicId, seq, at } = position;
    // The events before this one are swept, so it contains the fields of the memory.
    yield* putMemory.run({ topicId, updatedAt: at, ...event.data });
    yield* deleteNotes.run({ topicId });
    yield* raiseFloor.run({ id: topicId, floor: seq - 1 });
    yield* insertErasure.run({ topicId });
  },
};
