import { LIMITS, type MemoryEvent, memoryTopic, StoaError } from '@stoa/protocol';
import { beginTopic, countMemories, findMemory, openTopicEnd, type Tx } from '@stoa/store';
import type { OpenSession } from '../access/session-gate.js';
import type { NewEvent } from '../log/log.js';
import type { Ids, Secrets } from '../ports.js';
import type { factsOf } from '../sessions/run-facts.js';
import { memoryIdOf } from './memory-id.js';

/**
 * Keeps a note under the namespace of the run. There is no other place a run could write to: what is
 * remembered somewhere was learnt there.
 */
export function* keepNote(
  { ids, secrets }: { readonly ids: Ids; readonly secrets: Secrets },
  { sessionId, responsibleId: ownerId }: OpenSession,
  { runId, origin, memoryScope }: ReturnType<typeof factsOf>,
  text: string,
): Tx<{ noteId: string; events: NewEvent[] }> {
  const { namespace, mode } = memoryScope;
  const memoryId = memoryIdOf(secrets, ownerId, namespace);
  const topic = memoryTopic(memoryId);
  yield* beginTopic.run({ name: topic });
  // Whoever keeps a note there at the same time waits: what is counted stays counted.
  yield* openTopicEnd.first({ name: topic });
  const known = yield* findMemory.first({ memoryId });
  const events: MemoryEvent[] = [];
  if (!known) {
    yield* assertRoomFor(ownerId);
    events.push({ type: 'memory_opened', data: { memoryId, ownerId, namespace } });
  } else if (known.noteCount >= LIMITS.memoryNotes) {
    const most = String(LIMITS.memoryNotes);
    throw new StoaError('limit_reached', `${namespace} holds ${most} notes already`);
  }
  const { channelId } = origin;
  const noteId = ids.next('nte');
  const place = channelId === undefined ? {} : { channelId };
  events.push({ type: 'note_kept', data: { noteId, text, sessionId, runId, ...place, mode } });
  return { noteId, events: events.map((event) => ({ topic, event })) };
}

function* assertRoomFor(ownerId: string): Tx<void> {
  const { count = 0 } = (yield* countMemories.first({ ownerId })) ?? {};
  if (count < LIMITS.memories) return;
  throw new StoaError('limit_reached', `${ownerId} has ${String(count)} memories already`);
}
