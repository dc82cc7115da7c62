import type { Metadata } from '@stoa/protocol';
import type { Tasks } from '../tasks/tasks.js';
import type { DraftFolder } from './draft-folder.js';
import type { DreamPhase } from './dream-kind.js';

/** Why a dream was called off. */
export type CallOff = 'stopped' | 'timeout' | 'shutdown' | 'erased';

/** One dream under way: what it was told to do, and what people see of it. */
export class DreamRun {
  readonly abort = new AbortController();
  readonly warnings: string[] = [];
  readonly folded = new Set<string>();
  #draft: DraftFolder | undefined;
  #phase: DreamPhase = 'gathering';
  #told = '';
  #telling: Promise<void> = Promise.resolve();
  callOff: CallOff | undefined;
  /** Files are being written: whoever fails now may have written some. */
  isStoring = false;
  done: Promise<void> = Promise.resolve();

  constructor(
    readonly taskId: string,
    private readonly tasks: Pick<Tasks, 'change'>,
    private readonly diagnose: (
      message: string,
      details: Readonly<Record<string, unknown>>,
    ) => void,
  ) {}

  stop(why: CallOff): void {
    this.callOff ??= why;
    this.abort.abort(new Error(`the dream was called off: ${why}`));
  }

  begin(draft: DraftFolder): void {
    this.#draft = draft;
  }

  get touched(): string[] {
    return (this.#draft?.touched ?? []).slice(0, TOPICS_SHOWN);
  }

  /** Told one after the other, and the newest state only: however fast it goes, few events come of it. */
  show(phase: DreamPhase | undefined, more: Metadata = {}): void {
    this.#phase = phase ?? (this.touched.length > 0 ? 'writing' : this.#phase);
    const detail: Metadata = { phase: this.#phase, topics: this.touched, ...more };
    const text = JSON.stringify(detail);
    if (text === this.#told) return;
    this.#told = text;
    this.#telling = this.#telling.then(async () => {
      if (this.#told !== text) return;
      await this.tasks.change(this.taskId, { detail }).catch((error: unknown) => {
        this.diagnose('the progress of a dream could not be told', { taskId: this.taskId, error });
      });
    });
  }

  /** All that was to be shown is. */
  shown(): Promise<void> {
    return this.#telling;
  }
}

const TOPICS_SHOWN = 100;
