import { detailFields } from '../tasks/detail-fields.js';
import type { TaskKind } from '../tasks/kind.js';

/** Where a dream stands: it looks through what there is, rewrites topics, and puts them on the disk. */
export type DreamPhase = 'gathering' | 'reviewing' | 'writing' | 'storing' | 'done';

/** How many of one person go on at once; of one memory it is one, by its lease. */
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
  refusesMessage: () => 'it works through what is remembered and listens to nobody',
};
