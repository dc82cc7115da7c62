import { counted, listField, numberField, textField } from '../detail-field.js';
import type { TaskPresenter } from '../presenter.js';

const MOST_TOPICS = 8;

export const dream: TaskPresenter = {
  kind: 'dream',
  one: 'dream',
  many: 'dreams',
  countsForeground: true,
  title(task) {
    const sessions = numberField(task, 'sessions');
    const reviewed = sessions === undefined ? '' : ` (${counted(sessions, 'session')} reviewed)`;
    return `${task.description || 'consolidation of memory'}${reviewed}`;
  },
  detail(task) {
    const topics = listField(task, 'topics');
    const more = topics.length - MOST_TOPICS;
    const shown = topics.slice(0, MOST_TOPICS).join(', ');
    return [
      ['memory', textField(task, 'namespace') ?? ''],
      ['sessions', String(numberField(task, 'sessions') ?? '')],
      ['progress', textField(task, 'phase') ?? ''],
      ['topics', more > 0 ? `${shown} and ${String(more)} more` : shown],
      ['files', listField(task, 'files').join(', ')],
    ];
  },
  takesMessage: () => false,
  warnings: (task) => listField(task, 'warnings'),
};
