import type { TaskEntry } from '@stoa/protocol';
import { detailFields } from '../detail-fields.js';
import type { TaskKind } from '../kind.js';
import { noticeText } from '../notice-text.js';
import { lossLines } from './monitor-update.js';

export const MONITOR: TaskKind = {
  kind: 'monitor',
  // A message is delivered as the signal in `messageSignal`. The counts are those of the last update.
  detailProblem: detailFields({
    command: 'text',
    'cwd?': 'text',
    'nonce?': 'text',
    'maxEvents?': 'count',
    'idleMs?': 'count',
    'include?': 'text',
    'exclude?': 'text',
    'messageSignal?': 'text',
    'offset?': 'count',
    'isInRest?': 'flag',
    'events?': 'count',
    'dropped?': 'count',
    'missedBytes?': 'count',
  }),
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
      : 'it was started without a signal for messages',
};

function totals({ detail }: TaskEntry): string[] {
  const count = (name: string): number => {
    const value = detail[name];
    return typeof value === 'number' ? value : 0;
  };
  const events = count('events');
  const sent = `${events} ${events === 1 ? 'line was' : 'lines were'} sent in all.`;
  const loss = { dropped: count('dropped'), missedBytes: count('missedBytes') };
  return [sent, ...lossLines(loss, 'in all')];
}
