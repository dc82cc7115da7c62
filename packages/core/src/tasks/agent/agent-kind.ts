import { z } from 'zod';
import type { TaskKind } from '../kind.js';

/** What is known of an agent that works in a session of its own. */
export const AgentDetail = z.looseObject({
  agentId: z.string(),
  /** The session it works in; absent while it waits for a place. */
  sessionId: z.string().optional(),
  model: z.string().optional(),
  /** Goes on by itself after a restart instead of being paused. */
  onRestart: z.enum(['pause', 'resume']).optional(),
});

export const AGENT: TaskKind = {
  kind: 'agent',
  detail: AgentDetail,
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
