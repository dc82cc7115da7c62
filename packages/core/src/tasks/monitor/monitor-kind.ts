import type { TaskEntry } from '@stoa/protocol';
import { z } from 'zod';
import type { TaskKind } from '../kind.js';
import { noticeText } from '../notice.js';
import { lossText } from './tidings-text.js';
import { EVENTS_DEFAULT, EVENTS_MOST, IDLE_MS_DEFAULT, IDLE_MS_MOST } from './watch.js';

const count = z.int().min(0).default(0);

/** What is known of a command whose lines are events. */
export const MonitorDetail = z.looseObject({
  command: z.string(),
  cwd: z.string().optional(),
  nonce: z.string().optional(),
  maxEvents: z.int().min(1).max(EVENTS_MOST).default(EVENTS_DEFAULT),
  idleMs: z.int().min(1).max(IDLE_MS_MOST).default(IDLE_MS_DEFAULT),
  include: z.string().optional(),
  exclude: z.string().optional(),
  /** The signal that a message is to it. */
  messageSignal: z.enum(['SIGUSR1', 'SIGUSR2', 'SIGHUP']).optional(),
  /** How far it has come, as of what was told last. */
  offset: count,
  isInRest: z.boolean().default(false),
  events: count,
  dropped: count,
  missedBytes: count,
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
  notice: (task, tail) => [noticeText(task, tail), ...totals(task)].join('\n'),
  refusesMessage: ({ detail }) =>
    typeof detail['messageSignal'] === 'string'
      ? undefined
      : 'it was started without a signal that messages are given to it as',
};

function totals({ detail }: TaskEntry): string[] {
  const { events, dropped, missedBytes } = MonitorDetail.parse(detail);
  const told = `${events} ${events === 1 ? 'line was' : 'lines were'} told in all.`;
  return [told, ...lossText({ dropped, missedBytes })];
}
