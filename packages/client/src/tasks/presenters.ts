import type { Task } from '@stoa/protocol';
import { isTerminalTaskStatus } from '@stoa/protocol/constants';

/** A line of the details: a name and a text. */
export type DetailLine = readonly [name: string, value: string];

/** How one kind of background task is shown. No other code for display knows kinds. */
export interface TaskPresenter {
  readonly kind: string;
  /** The singular, and the plural: `1 shell`, `2 shells`. */
  readonly one: string;
  readonly many: string;
  /** Whether foreground tasks are counted too; commands are too short for that. */
  readonly countsForeground: boolean;
  /** One line about what it does. */
  title(task: Task): string;
  /** Shown after its status: `3 events`. */
  note?(task: Task): string | undefined;
  detail(task: Task): readonly DetailLine[];
  /** Whether it accepts messages now; default: while it is active and after it has completed. */
  takesMessage?(task: Task): boolean;
  /** Problems that did not end it. */
  warnings?(task: Task): readonly string[];
}

const shell: TaskPresenter = {
  kind: 'shell',
  one: 'shell',
  many: 'shells',
  countsForeground: false,
  title: (task) => task.description || (textField(task, 'command') ?? ''),
  detail(task) {
    const pid = numberField(task, 'pid');
    const takes = hasInput(task) ? 'open: receives messages' : 'closed';
    return [
      ['command', textField(task, 'command') ?? ''],
      ['directory', textField(task, 'cwd') ?? ''],
      ['process', pid === undefined ? '' : String(pid)],
      ['input', takes],
    ];
  },
  takesMessage: (task) => hasInput(task) && !isTerminalTaskStatus(task.status),
};

const hasInput = ({ detail }: Task): boolean => detail['stdin'] === true;

const agent: TaskPresenter = {
  kind: 'agent',
  one: 'agent',
  many: 'agents',
  countsForeground: true,
  title: (task) => task.description || (textField(task, 'agentId') ?? ''),
  detail: (task) => [
    ['agent', textField(task, 'agentId') ?? ''],
    ['model', textField(task, 'model') ?? ''],
    ['works in', textField(task, 'sessionId') ?? ''],
    ['after restart', textField(task, 'onRestart') === 'resume' ? 'resumes' : 'is paused'],
  ],
};

const monitor: TaskPresenter = {
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
      ['or after silence of', idle === undefined ? '' : `${String(Math.round(idle / 1_000))} s`],
      ['messages', textField(task, 'messageSignal') ?? 'not accepted'],
    ];
  },
  takesMessage: (task) =>
    textField(task, 'messageSignal') !== undefined && !isTerminalTaskStatus(task.status),
};

const SHOWN_TOPICS = 8;

const dream: TaskPresenter = {
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
    const more = topics.length - SHOWN_TOPICS;
    const shown = topics.slice(0, SHOWN_TOPICS).join(', ');
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

/** The order of kinds and of their sections. */
const PRESENTERS: readonly TaskPresenter[] = [shell, agent, monitor, dream];

/** A presenter for every kind: those of Stoa, those of the caller, and a plain one for the rest. */
export class TaskPresenters {
  readonly #known: readonly TaskPresenter[];

  constructor(more: readonly TaskPresenter[] = []) {
    this.#known = [...PRESENTERS, ...more];
  }

  of(kind: string): TaskPresenter {
    return this.#known.find((presenter) => presenter.kind === kind) ?? plain(kind);
  }

  /** Unknown kinds come last, by name. */
  compare(left: string, right: string): number {
    const [a, b] = [this.#rank(left), this.#rank(right)];
    if (a !== b) return a - b;
    return left < right ? -1 : Number(left > right);
  }

  #rank(kind: string): number {
    const rank = this.#known.findIndex((presenter) => presenter.kind === kind);
    return rank === -1 ? this.#known.length : rank;
  }
}

export const taskPresenters = new TaskPresenters();

/** For a kind that is newer than this program. */
function plain(kind: string): TaskPresenter {
  const one = kind.replaceAll('_', ' ');
  return {
    kind,
    one,
    many: `${one}s`,
    countsForeground: true,
    title: ({ description }) => description || one,
    detail: ({ detail }) =>
      Object.entries(detail).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
  };
}

/* The details of a task come from a daemon whose version may differ: fields of an unexpected type are ignored. */

function textField({ detail }: Task, name: string): string | undefined {
  const value = detail[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberField({ detail }: Task, name: string): number | undefined {
  const value = detail[name];
  return typeof value === 'number' ? value : undefined;
}

function listField({ detail }: Task, name: string): readonly string[] {
  const value = detail[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${String(count)} ${count === 1 ? one : many}`;
