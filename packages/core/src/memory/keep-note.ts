import {
  type ChannelRuntimeMemoryScope,
  LIMITS,
  type MemoryNote,
  memoryTopic,
  type Origin,
  StoaError,
} from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import type { NewEvent } from '../kernel/log.js';
import type { Ids, Secrets } from '../ports.js';
import { memoryIdOf } from './memory-id.js';
import { openedMemory } from './open-memory.js';

export interface NoteKeeper {
  readonly sessionId: string;
  /** The person it works for. */
  readonly responsibleId: string;
}

interface Facts {
  readonly runId: string;
  readonly origin: Origin;
  readonly memoryScope: ChannelRuntimeMemoryScope;
}

/**
 * Stores a note under the namespace of the run. A run can write to no other namespace, so every note was learnt where it is
 * stored.
 */
export function* keepNote(
  { ids, secrets }: { readonly ids: Ids; readonly secrets: Secrets },
  { sessionId, responsibleId: ownerId }: NoteKeeper,
  { runId, origin, memoryScope }: Facts,
  text: string,
  source?: MemoryNote['source'],
): Tx<{ noteId: string; events: NewEvent[] }> {
  const { namespace, mode } = memoryScope;
  const memoryId = memoryIdOf(secrets, ownerId, namespace);
  const { memory, events } = yield* openedMemory({ memoryId, ownerId, namespace });
  if (memory && memory.noteCount >= LIMITS.memoryNotes) {
    const max = String(LIMITS.memoryNotes);
    throw new StoaError('limit_reached', `${namespace} holds ${max} notes already`);
  }
  const { channelId } = origin;
  const noteId = ids.next('nte');
  const data = {
    noteId,
    text,
    sessionId,
    runId,
    ...(channelId === undefined ? {} : { channelId }),
    mode,
    ...(source === undefined ? {} : { source }),
  };
  const topic = memoryTopic(memoryId);
  return { noteId, events: [...events, { topic, event: { type: 'note_kept', data } }] };
}
