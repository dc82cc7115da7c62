import { detailFields } from '../detail-fields.js';
import type { TaskKind } from '../kind.js';

export const MONITOR: TaskKind = {
  kind: 'monitor',
  // A message to it is the signal that it was started with, if any.
  detailProblem: detailFields({
    command: 'text',
    'cwd?': 'text',
    'pid?': 'count',
    'nonce?': 'text',
    'events?': 'count',
    'dropped?': 'count',
    'maxEvents?': 'count',
    'idleMs?': 'count',
    'messageSignal?': 'text',
  }),
  atOnce: 16,
  whenFull: 'refuse',
  keepsFinished: 128,
  ownerEnded: 'stop',
  afterRestart: () => 'reattach',
  canRevive: false,
  refusesMessage: ({ detail }) =>
    typeof detail['messageSignal'] === 'string'
      ? undefined
      : 'it was started without a signal that messages are given to it as',
};
