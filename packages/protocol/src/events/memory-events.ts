import { z } from 'zod';
import { ActorId } from '../records/ids.js';
import { Memory, MemoryNote, NoteId } from '../records/memory.js';
import { defineTopic } from './define-topic.js';

const which = { memoryId: Memory.shape.memoryId, ownerId: ActorId, namespace: z.string() };

/** Everything that can happen to a memory. Its tables are a replay of these. */
export const MemoryEvent = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('memory_opened'), data: z.strictObject(which) }),
    z.strictObject({
      type: z.literal('note_kept'),
      data: MemoryNote.omit({ createdAt: true }),
    }),
    z.strictObject({
      type: z.literal('note_deleted'),
      data: z.strictObject({ noteId: NoteId }),
    }),
    /** Everything was erased, also from the log: a replay begins here. */
    z.strictObject({ type: z.literal('memory_cleared'), data: z.strictObject(which) }),
  ]),
);
export type MemoryEvent = z.infer<typeof MemoryEvent>;

export const memoryTopic = defineTopic('memory', MemoryEvent);
