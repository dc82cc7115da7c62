import { counted, numberField, textField } from '../detail-field.js';
import { hasEnded } from '../has-ended.js';
import type { TaskPresenter } from '../presenter.js';

export const monitor: TaskPresenter = {
  kind: 'monitor',
  one: 'monitor',
  many: 'monitors',
  countsForeground: true,
  title: (task) => task.description || (textField(task, 'command') ?? ''),
  note: (task) => {
    const events = counted(numberField(task, 'events') ?? 0, 'event');
    const dropped = numberField(task, 'dropped') ?? 0;
    return dropped > 0 ? `${events}, ${String(dropped)} dropped` : events;
  },
  detail(task) {
    const most = numberField(task, 'maxEvents');
    const idle = numberField(task, 'idleMs');
    return [
      ['command', textField(task, 'command') ?? ''],
      ['directory', textField(task, 'cwd') ?? ''],
      ['shows', textField(task, 'include') ?? ''],
      ['hides', textField(task, 'exclude') ?? ''],
      ['ends after', most === undefined ? '' : counted(most, 'event')],
      ['or silent for', idle === undefined ? '' : `${String(Math.round(idle / 1_000))} s`],
      ['messages', textField(task, 'messageSignal') ?? 'not taken'],
    ];
  },
  takesMessage: (task) => textField(task, 'messageSignal') !== undefined && !hasEnded(task.status),
};
