import { type ChannelRuntimeMemoryScope, LIMITS, type MemoryNote, StoaError } from '@stoa/protocol';
import { findMemory, listNotes, type Tx } from '@stoa/store';
import type { Secrets } from '../ports.js';
import { memoryIdOf } from './memory-id.js';
import { noteRecord } from './records.js';

/** Who looks, and from where. */
export interface Rememberer {
  readonly ownerId: string;
  readonly memoryScope: ChannelRuntimeMemoryScope;
}

export interface RecallRequest {
  /** Only notes that have all of these words. */
  readonly query?: string | undefined;
  /** Another than that of the run. */
  readonly namespace?: string | undefined;
}

export interface Recalled {
  readonly namespace: string;
  /** Newest first. */
  readonly notes: readonly MemoryNote[];
  /** How many more there are that fit. */
  readonly more: number;
}

const SHOWN = 20;
export const TOLD_CHARS = 8_000;

/**
 * What is remembered under a namespace, the one of the run unless another is named. An isolated run can
 * name no other; and what an isolated run kept is seen under its own namespace only.
 */
export function* recall(
  secrets: Secrets,
  { ownerId, memoryScope }: Rememberer,
  { query, namespace = memoryScope.namespace }: RecallRequest,
  chars = TOLD_CHARS,
): Tx<Recalled> {
  const isOwn = namespace === memoryScope.namespace;
  if (!isOwn && memoryScope.mode === 'isolated') {
    throw new StoaError(
      'memory_isolated',
      `Only ${memoryScope.namespace} can be recalled here: this memory is held apart`,
    );
  }
  const memoryId = memoryIdOf(secrets, ownerId, namespace);
  const memory = yield* findMemory.first({ memoryId });
  if (!memory) return { namespace, notes: [], more: 0 };
  const rows = yield* listNotes.all({
    topicId: memory.topicId,
    isolated: isOwn ? 1 : 0,
    before: Number.MAX_SAFE_INTEGER,
    limit: LIMITS.memoryNotes,
  });
  const words = (query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = rows
    .map(noteRecord)
    .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const notes = within(fitting.slice(0, SHOWN), chars);
  return { namespace, notes, more: fitting.length - notes.length };
}

/** The newest, as many as fit; one always does. */
function within(notes: readonly MemoryNote[], most: number): MemoryNote[] {
  let chars = 0;
  return notes.filter(({ text }, index) => {
    chars += text.length;
    return index === 0 || chars <= most;
  });
}
