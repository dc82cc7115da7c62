import { z } from 'zod';
import type { TaskKind } from '../kind.js';

/** What is known of a command whose lines are events. */
export const MonitorDetail = z.looseObject({
  command: z.string(),
  cwd: z.string().optional(),
  pid: z.int().optional(),
  nonce: z.string().optional(),
  events: z.int().min(0).optional(),
  dropped: z.int().min(0).optional(),
  maxEvents: z.int().min(1).optional(),
  idleMs: z.int().min(1).optional(),
  /** The signal that a message is to it. */
  messageSignal: z.string().optional(),
});

export const MONITOR: TaskKind = {
  kind: 'monitor',
  detail: MonitorDetail,
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
