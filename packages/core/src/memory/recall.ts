import { type ChannelRuntimeMemoryScope, LIMITS, type MemoryNote, StoaError } from '@stoa/protocol';
import { findMemory, listNotes, type Tx } from '@stoa/store';
import type { Secrets } from '../ports.js';
import { memoryIdOf } from './memory-id.js';
import { noteRecord } from './records.js';

/** The person whose memory is searched, and the memory scope of the run. */
export interface Rememberer {
  readonly ownerId: string;
  readonly memoryScope: ChannelRuntimeMemoryScope;
}

export interface RecallRequest {
  /** Only notes that contain all of these words. */
  readonly query?: string | undefined;
  /** Defaults to the namespace of the run. */
  readonly namespace?: string | undefined;
}

export interface Recalled {
  readonly namespace: string;
  /** Newest first. */
  readonly notes: readonly MemoryNote[];
  /** The number of further notes that match. */
  readonly more: number;
}

const SHOWN = 20;
export const NOTE_CHARS = 8_000;

/**
 * Searches the notes of a namespace, by default that of the run. An isolated run can name no other, and notes of isolated
 * runs are visible only from their own namespace.
 */
export function* recall(
  secrets: Secrets,
  { ownerId, memoryScope }: Rememberer,
  { query, namespace = memoryScope.namespace }: RecallRequest,
  chars = NOTE_CHARS,
): Tx<Recalled> {
  const isOwn = namespace === memoryScope.namespace;
  if (!isOwn && memoryScope.mode === 'isolated') {
    throw new StoaError(
      'memory_isolated',
      `Only ${memoryScope.namespace} can be recalled here: this memory is isolated`,
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
  const matching = rows
    .map(noteRecord)
    .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const notes = within(matching.slice(0, SHOWN), chars);
  return { namespace, notes, more: matching.length - notes.length };
}

/** As many of the newest notes as fit. The first is always included. */
function within(notes: readonly MemoryNote[], max: number): MemoryNote[] {
  let chars = 0;
  return notes.filter(({ text }, index) => {
    chars += text.length;
    return index === 0 || chars <= max;
  });
}
