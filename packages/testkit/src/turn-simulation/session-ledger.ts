import { type Origin, TERMINAL_RUN_STATUSES } from '@stoa/protocol';
import { violated } from '../simulation/failure.js';

export interface RunModel {
  readonly runId: string;
  readonly sessionId: string;
  readonly isDelivery: boolean;
  hasStarted: boolean;
  hasEnded: boolean;
  /** When it last did something since it was started. */
  activeAt: number | undefined;
  /** What it emitted last, or else wrote last. */
  output: string | undefined;
}

interface OfRun {
  readonly runId: string;
  readonly origin: Origin;
  readonly kind?: string;
  readonly items?: readonly { readonly type: string; readonly text?: string }[];
  readonly output?: readonly { readonly type: string; readonly text?: string }[];
}

interface Row {
  readonly type: string;
  readonly body: string;
  readonly at: number;
}

const ENDS: ReadonlySet<string> = new Set(TERMINAL_RUN_STATUSES);

/** Runs, as the logs of their sessions tell of them. */
export class SessionLedger {
  readonly #runs = new Map<string, RunModel>();
  readonly #ended = new Set<string>();
  readonly #answered = new Set<string>();
  #touched = new Set<RunModel>();
  /** Runs that no channel gave. */
  otherRuns = 0;

  take(sessionId: string, { type, body, at }: Row): void {
    if (type === 'session_ended') {
      this.#ended.add(sessionId);
      const open = [...this.#runs.values()].filter(
        (run) => run.sessionId === sessionId && !run.hasEnded,
      );
      if (open.length > 0) violated('a session ended with work to do', { open });
      return;
    }
    if (DOINGS.has(type)) {
      const run = this.#runs.get((JSON.parse(body) as OfRun).runId);
      if (run && (run.hasStarted || type === 'started')) run.activeAt = at;
    }
    if (!FOLLOWED.has(type)) return;
    const data = JSON.parse(body) as OfRun;
    if (type === 'queued') {
      const isDelivery = data.kind === 'channel_delivery';
      if (!isDelivery) this.otherRuns += 1;
      if (this.#ended.has(sessionId))
        violated('a session that has ended was given work', { sessionId });
      const known = { hasStarted: false, hasEnded: false, activeAt: undefined, output: undefined };
      this.#touch({ runId: data.runId, sessionId, isDelivery, ...known });
      return;
    }
    if (type === 'approval_settled' && data.origin.threadRootMessageId !== undefined) {
      this.#answered.add(data.origin.threadRootMessageId);
    }
    const run = this.run(data.runId);
    if (run.hasEnded) violated('a run goes on after its end', { ...run, type });
    if (type === 'started') run.hasStarted = true;
    if (type === 'output_emitted') run.output = data.items?.[0]?.text;
    // Without an emitted output the last words are the answer.
    if (type === 'completed') run.output ??= data.output?.[0]?.text;
    if (ENDS.has(type)) run.hasEnded = true;
    this.#touch(run);
  }

  run(runId: string): RunModel {
    return this.#runs.get(runId) ?? violated('there is no such run', { runId });
  }

  hasEnded(sessionId: string): boolean {
    return this.#ended.has(sessionId);
  }

  /** Whether people answered something that was asked for this thread. */
  hasAnswers(rootMessageId: string): boolean {
    return this.#answered.has(rootMessageId);
  }

  /** The sessions with news since the last call. */
  touched(): ReadonlySet<RunModel> {
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  get open(): RunModel[] {
    return [...this.#runs.values()].filter(({ hasEnded }) => !hasEnded);
  }

  #touch(run: RunModel): void {
    this.#runs.set(run.runId, run);
    this.#touched.add(run);
  }
}

/** What shows that a run is at work. */
const DOINGS = new Set([
  ...['started', 'resumed', 'delivered', 'model_message', 'tool_call', 'tool_result'],
  ...['waiting_approval', 'approval_settled', 'compacted', 'note', 'usage_reported'],
  'output_emitted',
]);

const FOLLOWED = new Set(['queued', 'started', 'output_emitted', 'approval_settled', ...ENDS]);
