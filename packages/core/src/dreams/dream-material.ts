import type { MemoryNote } from '@stoa/protocol';
import { findMemory, listMemoryVisits, listNotes, type Store, type Tx } from '@stoa/store';
import { noteRecord } from '../memory/records.js';
import { viewOf } from '../memory/view.js';
import { readTranscript } from '../runs/transcript.js';
import { type DreamTarget, gateKeyOf } from './dream-store.js';
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
 * What a dream reads: the notes of its part, and the runs of the newest sessions that used this memory. Other runs of those
 * sessions belong to other memories and are not read.
 */
export async function dreamMaterial(store: Store, target: DreamTarget): Promise<DreamMaterial> {
  const { notes, visits } = await store.read(() => read(target));
  const runsOf = new Map<string, Set<string>>();
  for (const { sessionId, runId } of visits) {
    if (!runsOf.has(sessionId) && runsOf.size >= SESSIONS) continue;
    runsOf.set(sessionId, (runsOf.get(sessionId) ?? new Set()).add(runId));
  }
  const mode = target.part === 'isolated' ? 'isolated' : 'metadata-only';
  const view = viewOf({ namespace: target.namespace, mode });
  const sessions: DreamWork['sessions'][number][] = [];
  for (const [sessionId, runs] of runsOf) {
    const tail = { bytes: TAIL_BYTES, note: '' };
    const { entries } = await readTranscript(store, sessionId, '', view, tail);
    const own = entries.filter((entry) => 'runId' in entry && runs.has(entry.runId));
    if (own.length > 0) sessions.push({ sessionId, entries: own });
  }
  return { notes, sessions };
}

function* read(target: DreamTarget): Tx<{
  notes: MemoryNote[];
  visits: { sessionId: string; runId: string }[];
}> {
  const { memoryId, part } = target;
  const visits = yield* listMemoryVisits.all({ gateKey: gateKeyOf(target), limit: VISITS });
  const memory = yield* findMemory.first({ memoryId });
  if (!memory) return { notes: [], visits };
  const { topicId } = memory;
  const before = Number.MAX_SAFE_INTEGER;
  const rows = yield* listNotes.all({ topicId, isolated: 1, before, limit: NOTES });
  const isIsolated = part === 'isolated';
  const notes = rows.map(noteRecord).filter(({ mode }) => (mode === 'isolated') === isIsolated);
  return { notes: notes.reverse(), visits };
}
