import { z } from 'zod';
import type { TaskKind } from '../kind.js';

/** What is known of a consolidation of memory. */
export const DreamDetail = z.looseObject({
  namespace: z.string().optional(),
  /** How many sessions it looks through. */
  sessions: z.int().min(0).optional(),
  phase: z.string().optional(),
  topics: z.array(z.string()).optional(),
  warnings: z.array(z.string()).optional(),
});

export const DREAM: TaskKind = {
  kind: 'dream',
  detail: DreamDetail,
  atOnce: 1,
  whenFull: 'refuse',
  keepsFinished: 32,
  ownerEnded: 'stop',
  afterRestart: () => 'reattach',
  canRevive: false,
  refusesMessage: () => 'it works through what is remembered and listens to nobody',
};
