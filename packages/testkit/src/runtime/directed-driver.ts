import type { Driver, DriverEnd, RunContext } from '@stoa/core';
import type { DriverCapabilities, DriverKind } from '@stoa/protocol';
import { until } from '../time/until.js';

/** A run in the hands of a test. */
export class DirectedRun {
  readonly #ended: Promise<DriverEnd>;
  #end!: (end: DriverEnd) => void;
  #fail!: (error: unknown) => void;

  constructor(readonly context: RunContext) {
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
  }

  get runId(): string {
    return this.context.runId;
  }

  get texts(): string[] {
    return this.context.items.flatMap(({ inputItems }) =>
      inputItems.flatMap((item) => (item.type === 'text' ? [item.text] : [])),
    );
  }

  /** Records that the model received its input. */
  deliver(): Promise<void> {
    return this.context.journal.delivered(this.context.items.map(({ itemId }) => itemId));
  }

  complete(text?: string): void {
    this.#end({
      type: 'completed',
      ...(text === undefined ? {} : { output: [{ type: 'text', text }] }),
    });
  }

  end(end: DriverEnd): void {
    this.#end(end);
  }

  throw(error: unknown): void {
    this.#fail(error);
  }

  get ended(): Promise<DriverEnd> {
    return this.#ended;
  }
}

/** A driver that the test directs, one run at a time; it stops at once on request. */
export class DirectedDriver implements Driver {
  readonly runs: DirectedRun[] = [];
  readonly forgotten: string[] = [];
  /** Set to have a driver that does not listen. */
  isDeaf = false;

  constructor(
    readonly kind: DriverKind = 'script',
    readonly capabilities: {
      -readonly [Can in keyof DriverCapabilities]: DriverCapabilities[Can];
    } = { inject: true },
  ) {}

  execute(context: RunContext): Promise<DriverEnd> {
    const run = new DirectedRun(context);
    this.runs.push(run);
    context.signal.addEventListener('abort', () => {
      if (!this.isDeaf) run.throw(context.signal.reason);
    });
    return run.ended;
  }

  /** Waits for the n-th run, counted from 1. */
  nth(count: number): Promise<DirectedRun> {
    return until(`run ${String(count)} was started`, () => this.runs[count - 1]);
  }

  forget(sessionId: string): void {
    this.forgotten.push(sessionId);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
