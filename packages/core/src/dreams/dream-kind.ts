import { detailFields } from '../tasks/detail-fields.js';
import type { TaskKind } from '../tasks/kind.js';

/** The progress of a dream: it reads notes and sessions, rewrites topics, and writes the files. */
export type DreamPhase = 'gathering' | 'reviewing' | 'writing' | 'storing' | 'done';

/** The maximum number of a person's dreams at once. The lease limits each memory to one. */
const AT_ONCE = 4;

export const DREAM: TaskKind = {
  kind: 'dream',
  detailProblem: detailFields({
    'memoryId?': 'text',
    'namespace?': 'text',
    'part?': 'text',
    'sessions?': 'count',
    'notes?': 'count',
    'phase?': 'text',
    'topics?': 'texts',
    'foldedNotes?': 'count',
    'warnings?': 'texts',
    'durationMs?': 'count',
  }),
  atOnce: AT_ONCE,
  whenFull: 'refuse',
  keepsFinished: 32,
  ownerEnded: 'stop',
  afterRestart: () => 'reattach',
  canRevive: false,
  refusesMessage: () => 'a dream takes no messages',
};
