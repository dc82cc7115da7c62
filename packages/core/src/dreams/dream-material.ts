import type { MemoryNote } from '@stoa/protocol';
import { findMemory, listMemoryVisits, listNotes, type Store, type Tx } from '@stoa/store';
import { noteRecord } from '../memory/records.js';
import { viewOf } from '../memory/view.js';
import { readTranscript } from '../runs/transcript.js';
import { type DreamPlace, gateKeyOf } from './dream-store.js';
import type { DreamWork } from './dreamer.js';

const VISITS = 200;
const SESSIONS = 10;
const NOTES = 200;
const TAIL_BYTES = 64 * 1024;

export interface DreamMaterial {
  readonly notes: readonly MemoryNote[];
  readonly sessions: DreamWork['sessions'];
}

/**
 * What a dream looks through: the notes of its part, and of the newest sessions that were there the runs that were,
 * and no others. What such a session said elsewhere belongs to another memory.
 */
export async function dreamMaterial(store: Store, place: DreamPlace): Promise<DreamMaterial> {
  const { notes, visits } = await store.read(() => read(place));
  const runsOf = new Map<string, Set<string>>();
  for (const { sessionId, runId } of visits) {
    if (!runsOf.has(sessionId) && runsOf.size >= SESSIONS) continue;
    runsOf.set(sessionId, (runsOf.get(sessionId) ?? new Set()).add(runId));
  }
  const mode = place.part === 'isolated' ? 'isolated' : 'metadata-only';
  const view = viewOf({ namespace: place.namespace, mode });
  const sessions: DreamWork['sessions'][number][] = [];
  for (const [sessionId, runs] of runsOf) {
    const tail = { bytes: TAIL_BYTES, note: '' };
    const { entries } = await readTranscript(store, sessionId, '', view, tail);
    const own = entries.filter((entry) => 'runId' in entry && runs.has(entry.runId));
    if (own.length > 0) sessions.push({ sessionId, entries: own });
  }
  return { notes, sessions };
}

function* read(place: DreamPlace): Tx<{
  notes: MemoryNote[];
  visits: { sessionId: string; runId: string }[];
}> {
  const { memoryId, part } = place;
  const visits = yield* listMemoryVisits.all({ gateKey: gateKeyOf(place), limit: VISITS });
  const memory = yield* findMemory.first({ memoryId });
  if (!memory) return { notes: [], visits };
  const { topicId } = memory;
  const before = Number.MAX_SAFE_INTEGER;
  const rows = yield* listNotes.all({ topicId, isolated: 1, before, limit: NOTES });
  const isApart = part === 'isolated';
  const notes = rows.map(noteRecord).filter(({ mode }) => (mode === 'isolated') === isApart);
  return { notes: notes.reverse(), visits };
}
