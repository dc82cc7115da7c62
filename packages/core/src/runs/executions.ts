import { StoaError } from '@stoa/protocol';
import { listHeldRuns, type Store } from '@stoa/store';
import type { RunContext } from './driver.js';
import type { Claim } from './ownership.js';

/** A run that a driver of this daemon executes. */
export interface Execution {
  readonly claim: Claim;
  readonly abort: AbortController;
  /** Set while the driver executes it. */
  run: RunContext | undefined;
}

/** The runs that drivers of this daemon execute. */
export class Executions {
  readonly #all = new Set<Execution>();

  get count(): number {
    return this.#all.size;
  }

  begin(claim: Claim): Execution {
    const execution: Execution = { claim, abort: new AbortController(), run: undefined };
    this.#all.add(execution);
    return execution;
  }

  end(execution: Execution): void {
    this.#all.delete(execution);
  }

  /** The run of this session that was not aborted. */
  contextOf(sessionId: string): RunContext | undefined {
    for (const { claim, abort, run } of this.#all) {
      if (claim.session.sessionId === sessionId && !abort.signal.aborted) return run;
    }
    return undefined;
  }

  isOf(sessionId: string): boolean {
    return [...this.#all].some(({ claim }) => claim.session.sessionId === sessionId);
  }

  stopAll(): void {
    for (const { abort } of this.#all) abort.abort(new StoaError('shutting_down'));
  }

  /** This run has ended. */
  stop(runId: string): void {
    for (const execution of this.#all) if (execution.claim.runId === runId) lose(execution);
  }

  /**
   * Stops runs that another daemon ended or took over because this one was considered gone. They can no longer write to the
   * log, but their tools would continue to act.
   */
  async stopLost(store: Store, daemonId: string, sessionId?: string): Promise<void> {
    // Runs that begin during the read are not in its result.
    const known = [...this.#all].filter(
      ({ claim }) => sessionId === undefined || claim.session.sessionId === sessionId,
    );
    if (known.length === 0) return;
    const rows = await store.read(() => listHeldRuns.all({ daemonId }));
    const held = new Map(rows.map(({ runId, epoch }) => [runId, epoch]));
    for (const execution of known) {
      const { runId, epoch } = execution.claim;
      if (held.get(runId) !== epoch) lose(execution);
    }
  }
}

const lose = ({ claim, abort }: Execution): void => {
  abort.abort(new StoaError('run_ended', `${claim.runId} has ended or is another daemon’s`));
};
