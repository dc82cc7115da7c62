import { textField } from '../detail-field.js';
import type { TaskPresenter } from '../presenter.js';

export const agent: TaskPresenter = {
  kind: 'agent',
  one: 'agent',
  many: 'agents',
  countsForeground: true,
  title: (task) => task.description || (textField(task, 'agentId') ?? ''),
  detail: (task) => [
    ['agent', textField(task, 'agentId') ?? ''],
    ['model', textField(task, 'model') ?? ''],
    ['works in', textField(task, 'sessionId') ?? ''],
    ['after restart', textField(task, 'onRestart') === 'resume' ? 'goes on' : 'is paused'],
  ],
};
