import { LIMITS, memoryTopic, StoaError } from '@stoa/protocol';
import {
  beginTopic,
  type CountedMemoryRow,
  countMemories,
  findMemory,
  openTopicEnd,
  type Tx,
} from '@stoa/store';
import type { NewEvent } from '../kernel/log.js';

export interface OpenedMemory {
  readonly memory: CountedMemoryRow | undefined;
  /** The event that opens it, if it does not exist yet. */
  readonly events: readonly NewEvent[];
}

/** Locks a memory, so that its counts stay valid in this transaction. Throws `limit_reached`. */
export function* openedMemory({
  memoryId,
  ownerId,
  namespace,
}: {
  readonly memoryId: string;
  readonly ownerId: string;
  readonly namespace: string;
}): Tx<OpenedMemory> {
  const topic = memoryTopic(memoryId);
  yield* beginTopic.run({ name: topic });
  yield* openTopicEnd.first({ name: topic });
  const memory = yield* findMemory.first({ memoryId });
  if (memory) return { memory, events: [] };
  yield* assertRoomFor(ownerId);
  const data = { memoryId, ownerId, namespace };
  return { memory, events: [{ topic, event: { type: 'memory_opened', data } }] };
}

function* assertRoomFor(ownerId: string): Tx<void> {
  const { count = 0 } = (yield* countMemories.first({ ownerId })) ?? {};
  if (count < LIMITS.memories) return;
  throw new StoaError('limit_reached', `${ownerId} has ${String(count)} memories already`);
}
