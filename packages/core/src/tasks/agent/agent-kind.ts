import { detailFields } from '../detail-fields.js';
import type { TaskKind } from '../kind.js';

export const AGENT: TaskKind = {
  kind: 'agent',
  // The session it works in is not there while it waits for a place.
  detailProblem: detailFields({
    agentId: 'text',
    'sessionId?': 'text',
    'model?': 'text',
    'onRestart?': 'text',
  }),
  atOnce: 10,
  whenFull: 'queue',
  keepsFinished: 32,
  ownerEnded: 'stop',
  afterRestart: ({ detail }) => (detail['onRestart'] === 'resume' ? 'reattach' : 'pause'),
  canRevive: true,
  refusesMessage: ({ status, blockedReason }) => {
    if (blockedReason !== undefined) return blockedReason;
    if (status === 'failed' || status === 'cancelled' || status === 'lost')
      return `it is ${status}`;
    return undefined;
  },
  worksIn: ({ detail }) =>
    typeof detail['sessionId'] === 'string' ? detail['sessionId'] : undefined,
};
