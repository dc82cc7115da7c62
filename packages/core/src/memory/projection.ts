import type { MemoryEvent } from '@stoa/protocol';
import {
  deleteNote,
  deleteNotes,
  insertErasure,
  insertNote,
  putMemory,
  raiseFloor,
  type Tx,
  touchMemory,
} from '@stoa/store';
import type { Place } from '../log/entry.js';

/** What one event does to the tables of its memory. */
export function* projectMemoryEvent(place: Place, event: MemoryEvent): Tx<void> {
  const { topicId, seq, at } = place;
  switch (event.type) {
    case 'memory_opened':
      yield* putMemory.run({ topicId, updatedAt: at, ...event.data });
      return;
    case 'note_kept': {
      const { noteId, mode } = event.data;
      yield* insertNote.run({ topicId, seq, noteId, isolated: mode === 'isolated' ? 1 : 0 });
      yield* touchMemory.run({ topicId, at });
      return;
    }
    case 'note_deleted':
      yield* deleteNote.run({ topicId, noteId: event.data.noteId });
      yield* touchMemory.run({ topicId, at });
      return;
    case 'memory_cleared':
      // Says itself whose it is: what came before it is swept from the log.
      yield* putMemory.run({ topicId, updatedAt: at, ...event.data });
      yield* deleteNotes.run({ topicId });
      yield* raiseFloor.run({ id: topicId, floor: seq - 1 });
      yield* insertErasure.run({ topicId });
      return;
  }
}
