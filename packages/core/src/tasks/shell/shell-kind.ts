import { detailFields } from '../detail-fields.js';
import type { TaskKind } from '../kind.js';

export const SHELL: TaskKind = {
  kind: 'shell',
  // Messages are written to its standard input, if that is open.
  detailProblem: detailFields({
    command: 'text',
    'cwd?': 'text',
    'pid?': 'count',
    'nonce?': 'text',
    'stdin?': 'flag',
  }),
  atOnceInSession: 64,
  whenFull: 'refuse',
  keepsFinished: 32,
  ownerEnded: 'hand_over',
  afterRestart: () => 'reattach',
  canRevive: false,
  refusesMessage: ({ detail }) =>
    detail['stdin'] === true
      ? undefined
      : 'its standard input is closed; start a command with an open one to send it messages',
};
