import { numberField, textField } from '../detail-field.js';
import type { TaskPresenter } from '../presenter.js';

export const shell: TaskPresenter = {
  kind: 'shell',
  one: 'shell',
  many: 'shells',
  countsForeground: false,
  title: (task) => task.description || (textField(task, 'command') ?? ''),
  detail(task) {
    const pid = numberField(task, 'pid');
    const takes = task.detail['stdin'] === true ? 'open: messages go there' : 'closed';
    return [
      ['command', textField(task, 'command') ?? ''],
      ['directory', textField(task, 'cwd') ?? ''],
      ['process', pid === undefined ? '' : String(pid)],
      ['input', takes],
    ];
  },
};
