import { LIMITS } from '@stoa/protocol';
import { listMemoryVisits, listNotes, type Tx } from '@stoa/store';
import { noteRecord } from '../memory/records.js';
import { type DreamPlace, gateKeyOf } from './dream-store.js';

/** A run that may be the occasion for a dream. */
export interface Occasion {
  readonly sessionId: string;
  readonly runId: string;
}

/** Whose task it is when a person wants it: the session that was there last, or that kept the newest note. */
export function* lastOccasion(place: DreamPlace, topicId: number): Tx<Occasion | undefined> {
  const [visit] = yield* listMemoryVisits.all({ gateKey: gateKeyOf(place), limit: 1 });
  if (visit) return visit;
  const before = Number.MAX_SAFE_INTEGER;
  const rows = yield* listNotes.all({ topicId, isolated: 1, before, limit: LIMITS.memoryNotes });
  const isApart = place.part === 'isolated';
  return rows.map(noteRecord).find(({ mode }) => (mode === 'isolated') === isApart);
}
