import { detailFields } from '../detail-fields.js';
import type { TaskKind } from '../kind.js';

export const DREAM: TaskKind = {
  kind: 'dream',
  detailProblem: detailFields({
    'namespace?': 'text',
    'sessions?': 'count',
    'phase?': 'text',
    'topics?': 'texts',
    'warnings?': 'texts',
  }),
  atOnce: 1,
  whenFull: 'refuse',
  keepsFinished: 32,
  ownerEnded: 'stop',
  afterRestart: () => 'reattach',
  canRevive: false,
  refusesMessage: () => 'it works through what is remembered and listens to nobody',
};
