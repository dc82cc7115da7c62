import type { Metadata } from '@stoa/protocol';
import type { Tasks } from '../tasks/tasks.js';
import type { DraftFolder } from './draft-folder.js';
import type { DreamPhase } from './dream-kind.js';

/** Why a dream was cancelled. */
type StopReason = 'stopped' | 'timeout' | 'shutdown' | 'erased';

/** An active dream: whether it was cancelled, and its visible progress. */
export class DreamRun {
  readonly abort = new AbortController();
  readonly warnings: string[] = [];
  readonly folded = new Set<string>();
  #draft: DraftFolder | undefined;
  #phase: DreamPhase = 'gathering';
  #reported = '';
  #reporting: Promise<void> = Promise.resolve();
  stopReason: StopReason | undefined;
  /** Files are being written: after a failure some may have been written. */
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

  stop(why: StopReason): void {
    this.stopReason ??= why;
    this.abort.abort(new Error(`the dream was cancelled: ${why}`));
  }

  begin(draft: DraftFolder): void {
    this.#draft = draft;
  }

  get touched(): string[] {
    return (this.#draft?.touched ?? []).slice(0, TOPICS_SHOWN);
  }

  /** Reports are sequential, and only the newest state is reported, so fast progress causes few events. */
  show(phase: DreamPhase | undefined, more: Metadata = {}): void {
    this.#phase = phase ?? (this.touched.length > 0 ? 'writing' : this.#phase);
    const detail: Metadata = { phase: this.#phase, topics: this.touched, ...more };
    const text = JSON.stringify(detail);
    if (text === this.#reported) return;
    this.#reported = text;
    this.#reporting = this.#reporting.then(async () => {
      if (this.#reported !== text) return;
      await this.tasks.change(this.taskId, { detail }).catch((error: unknown) => {
        this.diagnose('the progress of a dream could not be reported', {
          taskId: this.taskId,
          error,
        });
      });
    });
  }

  /** Resolves when all progress was reported. */
  shown(): Promise<void> {
    return this.#reporting;
  }
}

const TOPICS_SHOWN = 100;
