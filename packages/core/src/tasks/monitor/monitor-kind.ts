import type { TaskEntry } from '@stoa/protocol';
import { detailFields } from '../detail-fields.js';
import type { TaskKind } from '../kind.js';
import { noticeText } from '../notice-text.js';
import { totalLossText } from './tidings-text.js';

export const MONITOR: TaskKind = {
  kind: 'monitor',
  // A message to it is the signal that it was started with, if any. The counts are of what was told last.
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
      : 'it was started without a signal that messages are given to it as',
};

function totals({ detail }: TaskEntry): string[] {
  const count = (name: string): number => {
    const value = detail[name];
    return typeof value === 'number' ? value : 0;
  };
  const events = count('events');
  const told = `${events} ${events === 1 ? 'line was' : 'lines were'} told in all.`;
  return [told, ...totalLossText({ dropped: count('dropped'), missedBytes: count('missedBytes') })];
}
