import type { Task } from '@stoa/protocol';
import { numberField, textField } from '../detail-field.js';
import { hasEnded } from '../has-ended.js';
import type { TaskPresenter } from '../presenter.js';

export const shell: TaskPresenter = {
  kind: 'shell',
  one: 'shell',
  many: 'shells',
  countsForeground: false,
  title: (task) => task.description || (textField(task, 'command') ?? ''),
  detail(task) {
    const pid = numberField(task, 'pid');
    const takes = hasInput(task) ? 'open: messages go there' : 'closed';
    return [
      ['command', textField(task, 'command') ?? ''],
      ['directory', textField(task, 'cwd') ?? ''],
      ['process', pid === undefined ? '' : String(pid)],
      ['input', takes],
    ];
  },
  takesMessage: (task) => hasInput(task) && !hasEnded(task.status),
};

const hasInput = ({ detail }: Task): boolean => detail['stdin'] === true;
