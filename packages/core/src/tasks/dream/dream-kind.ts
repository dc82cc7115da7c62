import { z } from 'zod';
import type { TaskKind } from '../kind.js';

/** Where a dream stands: it looks through what there is, rewrites topics, and puts them on the disk. */
export type DreamPhase = 'gathering' | 'reviewing' | 'writing' | 'storing' | 'done';

/** What is known of a consolidation of memory. */
const DreamDetail = z.looseObject({
  memoryId: z.string().optional(),
  namespace: z.string().optional(),
  part: z.string().optional(),
  /** How many sessions it looks through. */
  sessions: z.int().min(0).optional(),
  notes: z.int().min(0).optional(),
  phase: z.string().optional(),
  /** The files it touched, so far or in all. */
  topics: z.array(z.string()).optional(),
  foldedNotes: z.int().min(0).optional(),
  /** What did not go as it should and did not matter enough to fail it. */
  warnings: z.array(z.string()).optional(),
  durationMs: z.int().min(0).optional(),
});

/** How many of one person go on at once; of one memory it is one, by its lease. */
const AT_ONCE = 4;

export const DREAM: TaskKind = {
  kind: 'dream',
  detail: DreamDetail,
  atOnce: AT_ONCE,
  whenFull: 'refuse',
  keepsFinished: 32,
  ownerEnded: 'stop',
  afterRestart: () => 'reattach',
  canRevive: false,
  refusesMessage: () => 'it works through what is remembered and listens to nobody',
};
