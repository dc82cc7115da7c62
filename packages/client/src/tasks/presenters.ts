import { agent } from './kinds/agent.js';
import { dream } from './kinds/dream.js';
import { monitor } from './kinds/monitor.js';
import { shell } from './kinds/shell.js';
import type { TaskPresenter } from './presenter.js';

/** In the order in which kinds are named and their sections follow each other. */
const PRESENTERS: readonly TaskPresenter[] = [shell, agent, monitor, dream];

/** One for every kind: those that come with Stoa, those of the caller, and plain words for the rest. */
export class TaskPresenters {
  readonly #known: readonly TaskPresenter[];

  constructor(more: readonly TaskPresenter[] = []) {
    this.#known = [...PRESENTERS, ...more];
  }

  of(kind: string): TaskPresenter {
    return this.#known.find((presenter) => presenter.kind === kind) ?? plain(kind);
  }

  /** Kinds that are not known come last, by name. */
  compare(left: string, right: string): number {
    const [a, b] = [this.#place(left), this.#place(right)];
    if (a !== b) return a - b;
    return left < right ? -1 : Number(left > right);
  }

  #place(kind: string): number {
    const place = this.#known.findIndex((presenter) => presenter.kind === kind);
    return place === -1 ? this.#known.length : place;
  }
}

export const taskPresenters = new TaskPresenters();

/** A kind that this program was made before. */
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
