import {
  actorIdOf,
  type Memory,
  type MemoryEvent,
  type MemoryNote,
  memoryTopic,
  type Principal,
  StoaError,
} from '@stoa/protocol';
import {
  type CountedMemoryRow,
  findNote,
  listMemories,
  listNotes,
  openTopicEnd,
  type Store,
  type Tx,
} from '@stoa/store';
import { memoryOf } from '../access/memory-gate.js';
import { callerClass } from '../access/rules.js';
import type { Decision, Log } from '../log/log.js';
import { memoryRecord, noteRecord } from './records.js';

interface MemoryQuery {
  readonly namespace?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

interface NoteQuery {
  readonly before?: number | undefined;
  readonly limit: number;
}

/** What people can do with what their sessions remember: look at it and make it go. */
export class Memories {
  constructor(
    private readonly store: Store,
    private readonly log: Log,
  ) {}

  /** Newest first. */
  list(
    by: Principal,
    { namespace, before, limit }: MemoryQuery,
  ): Promise<{ memories: Memory[]; nextBefore?: string }> {
    return this.store.read(function* () {
      const last = before === undefined ? undefined : yield* memoryOf(by, before);
      const rows = yield* listMemories.all({
        ownerId: callerClass(by) === 'admin' ? null : actorIdOf(by),
        namespace: namespace ?? null,
        before: last?.topicId ?? Number.MAX_SAFE_INTEGER,
        limit: limit + 1,
      });
      const memories = rows.slice(0, limit).map(memoryRecord);
      const nextBefore = rows.length > limit ? memories.at(-1)?.memoryId : undefined;
      return { memories, ...(nextBefore === undefined ? {} : { nextBefore }) };
    });
  }

  /** Newest first. */
  notes(
    by: Principal,
    memoryId: string,
    { before, limit }: NoteQuery,
  ): Promise<{ notes: MemoryNote[]; nextBefore?: number }> {
    return this.store.read(function* () {
      const { topicId } = yield* memoryOf(by, memoryId);
      const rows = yield* listNotes.all({
        topicId,
        isolated: 1,
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const nextBefore = rows.length > limit ? shown.at(-1)?.seq : undefined;
      return {
        notes: shown.map(noteRecord),
        ...(nextBefore === undefined ? {} : { nextBefore }),
      };
    });
  }

  deleteNote(by: Principal, memoryId: string, noteId: string): Promise<void> {
    return this.#change(by, memoryId, function* ({ topicId }) {
      if (yield* findNote.first({ topicId, noteId }))
        return { type: 'note_deleted', data: { noteId } };
      throw new StoaError('note_not_found', `There is no note ${noteId} in ${memoryId}`);
    });
  }

  /** All of it, also from the log. */
  clear(by: Principal, memoryId: string): Promise<void> {
    return this.#change(by, memoryId, ({ ownerId, namespace }) => ({
      type: 'memory_cleared',
      data: { memoryId, ownerId, namespace },
    }));
  }

  #change(
    by: Principal,
    memoryId: string,
    decide: (memory: CountedMemoryRow) => Tx<MemoryEvent> | MemoryEvent,
  ): Promise<void> {
    const topic = memoryTopic(memoryId);
    return this.log.write({
      actor: actorIdOf(by),
      lane: topic,
      *open() {
        yield* openTopicEnd.first({ name: topic });
        return yield* memoryOf(by, memoryId);
      },
      *decide(memory): Tx<Decision<void>> {
        const decided = decide(memory);
        const event = 'next' in decided ? yield* decided : decided;
        return { events: [{ topic, event }], answer: () => undefined };
      },
    });
  }
}
