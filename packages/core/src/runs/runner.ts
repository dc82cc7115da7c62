import { type DriverKind, StoaError, type StoredItem } from '@stoa/protocol';
import { hasContent } from '../assets/content.js';
import { defineHook } from '../kernel/hooks.js';
import { isStoreFailure } from '../kernel/store-wait.js';
import type { Timers } from '../ports.js';
import { maySpeakWithoutApproval } from '../sessions/may-use.js';
import { approveReads } from './approve-reads.js';
import type { Driver, DriverEnd, RunContext } from './driver.js';
import { type Execution, Executions } from './executions.js';
import { injectContext } from './inject-context.js';
import { type OpenRunPorts, openRun } from './open-run.js';
import type { Claim, Ownership } from './ownership.js';
import { RunActivity } from './run-activity.js';
import type { RunEnd } from './run-end.js';
import { isFenced, RunJournal } from './run-journal.js';

export interface RunnerPorts extends OpenRunPorts {
  readonly ownership: Ownership;
  readonly drivers: ReadonlyMap<DriverKind, Driver>;
  readonly timers: Timers;
}

/** A run of this daemon completed. Handlers must not throw. */
export const RUN_COMPLETED = defineHook<[claim: Claim], Promise<void> | undefined>('run completed');

/** The runner waits this long for a driver that was asked to stop. */
const STOP_GRACE_MS = 5_000;
const RETRY_MS = 1_000;
const WORK_PAGE = 100;
/** A run whose driver failed because of the store is resumed so often; then it fails. */
const MAX_RESUMPTIONS = 5;

/**
 * Executes queued runs. Wake-ups are only hints: polling finds the work that they miss.
 *
 *   idle ──hint, poll──▶ claiming ──nothing to do──▶ idle
 *                           └──a run──▶ executing ──ended──▶ claiming
 *
 * A session has one run at a time: the next one is claimed when the driver has released the last one. A cancelled run has
 * already ended in the log when its driver is stopped.
 *
 * While the store is unavailable, reads and writes of a run wait (`StoreWait`), and with them the run. If a driver fails
 * because of the store nevertheless, its run is resumed as after a crash.
 */
export class Runner {
  /** Sessions in progress, and whether a hint arrived meanwhile. */
  readonly #working = new Map<string, { again: boolean; done: Promise<void> }>();
  readonly #executions = new Executions();
  readonly #toForget = new Set<string>();
  readonly #stop = new AbortController();

  constructor(private readonly ports: RunnerPorts) {}

  get runCount(): number {
    return this.#executions.count;
  }

  /** The run of this session that a driver executes, if any. */
  contextOf(sessionId: string): RunContext | undefined {
    return this.#executions.contextOf(sessionId);
  }

  /** Finds sessions with work that no daemon does: after a start, and regularly. */
  async poll(): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined && !this.#stop.signal.aborted; ) {
      const found: string[] = await this.ports.ownership.findWork(after, WORK_PAGE);
      // A session in progress claims its next run itself.
      for (const sessionId of found) if (!this.#working.has(sessionId)) this.wake(sessionId);
      after = found.length < WORK_PAGE ? undefined : found.at(-1);
    }
  }

  /** May take long; the beat of the daemon is separate. */
  async tick(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    await this.#stopLost();
    await this.poll();
  }

  /** Claims work of this session, if there is any. Must not throw. */
  wake(sessionId: string): void {
    if (this.#stop.signal.aborted) return;
    const working = this.#working.get(sessionId);
    if (working) {
      working.again = true;
      return;
    }
    const entry = { again: false, done: Promise.resolve() };
    this.#working.set(sessionId, entry);
    entry.done = this.#work(sessionId, entry)
      .catch((error: unknown) => {
        this.#diagnose('a session could not be worked on', { sessionId, error });
        this.ports.timers.after(RETRY_MS, () => {
          this.wake(sessionId);
        });
      })
      .finally(() => {
        this.#working.delete(sessionId);
        if (entry.again) this.wake(sessionId);
      });
  }

  /** Resolves when no driver executes a run of this session, or the runner stopped waiting for it. */
  async idle(sessionId: string): Promise<void> {
    await this.#working.get(sessionId)?.done;
  }

  /** Stops the driver of a run that has ended in the log. */
  ended(runId: string): void {
    this.#executions.stop(runId);
  }

  /** Lets drivers delete their state of a session, as soon as none of them executes a run of it. */
  forget(sessionId: string): void {
    if (this.#executions.isOf(sessionId)) this.#toForget.add(sessionId);
    else for (const driver of this.ports.drivers.values()) driver.forget(sessionId);
  }

  /** Another daemon wrote to this session, or to any: it may have queued, cancelled or claimed a run. */
  hint(sessionId?: string): void {
    const checking = sessionId === undefined ? this.poll() : this.#check(sessionId);
    Promise.all([checking, this.#stopLost(sessionId)]).catch((error: unknown) => {
      this.#diagnose('the write of another daemon could not be checked', { sessionId, error });
    });
  }

  async #check(sessionId: string): Promise<void> {
    if (this.#working.has(sessionId)) {
      this.wake(sessionId);
      return;
    }
    const status = await this.ports.ownership.workStatus(sessionId);
    if (status === 'work') this.wake(sessionId);
    if (status === 'ended') this.forget(sessionId);
  }

  /**
   * Stops all drivers. Active runs are not ended: the next daemon resumes them. Resolves when the drivers have stopped, or
   * after a grace period.
   */
  async stop(): Promise<void> {
    this.#stop.abort(new StoaError('shutting_down'));
    this.#executions.stopAll();
    const all = Promise.allSettled([...this.#working.values()].map(({ done }) => done));
    await this.#within(STOP_GRACE_MS, all);
    await this.ports.ownership.leave();
  }

  async #work(sessionId: string, entry: { again: boolean }): Promise<void> {
    let last: Claim | undefined;
    let resumptions = 0;
    while (!this.#stop.signal.aborted) {
      entry.again = false;
      const claim = await this.ports.ownership.claim(sessionId, this.#stop.signal);
      if (!claim) break;
      const isSame = isSameAgain(last, claim);
      if (isSame && (resumptions === 0 || resumptions > MAX_RESUMPTIONS)) await this.#giveUp(claim);
      else resumptions = (await this.#execute(claim)) === 'store_failed' ? resumptions + 1 : 0;
      last = claim;
    }
    if (last && !this.#stop.signal.aborted) await this.ports.ownership.release(last);
  }

  /** Ends a run whose driver returned without an end: if it were resumed, it would do the same forever. */
  async #giveUp(claim: Claim): Promise<void> {
    this.#diagnose('a driver returned without ending its run', { runId: claim.runId });
    const message = 'The driver returned without ending the run';
    const failure = { phase: 'agent' as const, code: 'internal', message };
    await new RunJournal(this.ports.context, claim).end({ type: 'failed', failure });
  }

  async #execute(claim: Claim): Promise<'done' | 'store_failed'> {
    const { runId } = claim;
    const { sessionId, persona } = claim.session;
    const execution = this.#executions.begin(claim);
    const activity = new RunActivity(this.ports, claim);
    try {
      const { signal } = execution.abort;
      const journal = new RunJournal(this.ports.context, claim, signal, activity);
      const { kind } = persona.definition.driver;
      const end = await this.#outcome(claim, kind, journal, execution, activity);
      if (end === 'store_failed') return end;
      if (end) await this.#record(journal, end, execution.abort.signal);
      if (end?.type === 'completed') await this.ports.context.hooks.notify(RUN_COMPLETED, claim);
      return 'done';
    } finally {
      activity.end();
      this.#executions.end(execution);
      if (this.#toForget.delete(sessionId)) this.forget(sessionId);
      this.ports.drafts.end(sessionId, runId);
      this.ports.channelDrafts.ended(runId);
    }
  }

  /** Undefined if this daemon must not end the run: it has ended, or will be resumed. */
  async #outcome(
    claim: Claim,
    kind: DriverKind,
    journal: RunJournal,
    execution: Execution,
    activity: RunActivity,
  ): Promise<RunEnd | 'store_failed' | undefined> {
    const { signal } = execution.abort;
    const { context } = this.ports;
    try {
      const driver = this.ports.drivers.get(kind);
      if (!driver) throw new StoaError('unknown_driver', `This daemon has no driver ${kind}`);
      if (claim.isResumed) await this.#reportUnknown(claim, journal);
      const { capabilities } = driver;
      const reads = await approveReads(this.ports, claim, capabilities, journal, signal);
      if (typeof reads === 'object') return reads;
      await context.storeWait.run(() => injectContext(context, claim, journal), signal);
      await context.storeWait.run(() => activity.begin(), signal);
      const ports = { ...this.ports, mayRead: reads === 'allowed' };
      const run = await openRun(ports, claim, journal, signal, activity);
      // It may have ended while it was opened: then no driver executes it.
      signal.throwIfAborted();
      execution.run = run;
      const end = await this.#untilStopped(driver.execute(run), claim, signal);
      // Its output is settled from here on.
      execution.run = undefined;
      if (!end || signal.aborted) return undefined;
      return end.type === 'completed' ? await answerOf(run, end.output ?? []) : end;
    } catch (error) {
      if (isFenced(error) || signal.aborted) return undefined;
      if (isStoreFailure(error)) return 'store_failed';
      if (!(error instanceof StoaError))
        this.#diagnose('a driver failed', { claim: claim.runId, error });
      return { type: 'failed', failure: failureOf(error) };
    }
  }

  /** Reports calls without a result to the model. They are never repeated automatically. */
  async #reportUnknown(claim: Claim, journal: RunJournal): Promise<void> {
    for (const { callId, tool } of claim.unknownCalls) {
      await journal.toolResult({
        callId,
        tool,
        outcome: 'unknown',
        output:
          'The daemon stopped while this call was under way. Its outcome is unknown: it may have ' +
          'happened in full, in part or not at all. Look before you do it again.',
      });
    }
  }

  /** Stores the end of a run. Repeats it while the store fails. */
  async #record(journal: RunJournal, end: RunEnd, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await journal.end(end);
        return;
      } catch (error) {
        this.#diagnose('the end of a run could not be stored yet', { error });
        await this.#pause(RETRY_MS);
      }
    }
  }

  /** A driver that ignores the signal does not block the session forever. */
  async #untilStopped(
    executing: Promise<DriverEnd>,
    { runId }: Claim,
    signal: AbortSignal,
  ): Promise<DriverEnd | undefined> {
    const stopped = new Promise<undefined>((resolve) => {
      const startGrace = (): void => {
        this.ports.timers.after(STOP_GRACE_MS, () => {
          resolve(undefined);
        });
      };
      if (signal.aborted) startGrace();
      else signal.addEventListener('abort', startGrace, { once: true });
    });
    const settled = executing.then((end) => ({ end }));
    const first = await Promise.race([settled, stopped]);
    if (first) return first.end;
    this.#diagnose('a driver did not stop in time', { runId });
    settled.catch(() => undefined);
    return undefined;
  }

  #stopLost(sessionId?: string): Promise<void> {
    const { context, ownership } = this.ports;
    return this.#executions.stopLost(context.store, ownership.daemonId, sessionId);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.ports.timers.after(ms, resolve);
    });
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#pause(ms)]);
  }

  #diagnose(message: string, details: Readonly<Record<string, unknown>>): void {
    this.ports.context.diagnose(message, details);
  }
}

/** Every claim begins an epoch: if none lies between the two, no other daemon had the run. */
const isSameAgain = (last: Claim | undefined, claim: Claim): boolean =>
  last?.runId === claim.runId && last.epoch + 1 === claim.epoch;

/**
 * The output of a completed run: what it emitted, or else what it wrote last. In a channel, text that needs an approval is
 * not published.
 */
async function answerOf(run: RunContext, finalText: readonly StoredItem[]): Promise<RunEnd> {
  const emitted = await run.journal.emitted();
  if (run.kind !== 'channel_delivery') return { type: 'completed', output: emitted ?? finalText };
  const isWithheld =
    emitted === undefined &&
    finalText.some(hasContent) &&
    !maySpeakWithoutApproval(await run.policy());
  const output = emitted ?? (isWithheld ? [] : finalText);
  if (output.some(hasContent)) return { type: 'completed', output };
  const unpublishedChars = await run.journal.writtenChars();
  return {
    type: 'completed',
    output,
    ...(unpublishedChars === 0 ? {} : { unpublishedChars }),
    ...(isWithheld ? { isWithheld } : {}),
  };
}

function failureOf(error: unknown) {
  if (error instanceof StoaError)
    return { phase: 'agent' as const, code: error.code, message: error.message };
  return { phase: 'agent' as const, code: 'internal', message: 'Something broke in the driver' };
}
