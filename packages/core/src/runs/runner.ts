import { type DriverKind, StoaError, type StoredItem } from '@stoa/protocol';
import { hasContent } from '../assets/content.js';
import { defineHook } from '../kernel/hooks.js';
import { isStoreFailure } from '../kernel/store-wait.js';
import type { Timers } from '../ports.js';
import { maySpeakUnasked } from '../sessions/may-use.js';
import { clearUnaskedReads } from './clear-unasked-reads.js';
import type { Driver, DriverEnd, RunContext } from './driver.js';
import { type Execution, Executions } from './executions.js';
import { type OpenRunPorts, openRun } from './open-run.js';
import type { Claim, Ownership } from './ownership.js';
import { RunActivity } from './run-activity.js';
import type { RunEnd } from './run-end.js';
import { isFenced, RunJournal } from './run-journal.js';
import { tellContext } from './tell-context.js';

export interface RunnerPorts extends OpenRunPorts {
  readonly ownership: Ownership;
  readonly drivers: ReadonlyMap<DriverKind, Driver>;
  readonly timers: Timers;
}

/** A run of this daemon completed. Handlers must not throw. */
export const RUN_COMPLETED = defineHook<[claim: Claim], Promise<void> | undefined>('run completed');

/** A driver that does not stop when it is told to is left behind after this. */
const STOP_GRACE_MS = 5_000;
const RETRY_MS = 1_000;
const WORK_PAGE = 100;
/** A run that its driver let go of because of the store is taken up again so often; then it fails. */
const MOST_RESUMPTIONS = 5;

/**
 * Executes what was accepted. Wake-ups are only hints: whatever they miss is found by looking.
 *
 *   idle ──hint, look──▶ claiming ──nothing to do──▶ idle
 *                           └──a run──▶ executing ──ended──▶ claiming
 *
 * One run of a session at a time: the next is claimed when the driver has let go of the last one. A run
 * that is cancelled has ended in the log already when its driver hears of it.
 *
 * While the store is away, what a run reads and writes waits (`StoreWait`), and with it the run. A driver that fails
 * because of the store all the same lets go of its run, which is taken up again like after a crash.
 */
export class Runner {
  /** Sessions that are being worked on, and whether a hint came meanwhile. */
  readonly #working = new Map<string, { again: boolean; done: Promise<void> }>();
  readonly #executions = new Executions();
  readonly #toForget = new Set<string>();
  readonly #stop = new AbortController();

  constructor(private readonly ports: RunnerPorts) {}

  get runCount(): number {
    return this.#executions.count;
  }

  /** The run of this session that a driver has in its hands, if any. */
  contextOf(sessionId: string): RunContext | undefined {
    return this.#executions.contextOf(sessionId);
  }

  /** Looks for work that nobody does: after a start, and now and then. */
  async look(): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined && !this.#stop.signal.aborted; ) {
      const found: string[] = await this.ports.ownership.findWork(after, WORK_PAGE);
      // Whoever is at it takes what comes next by itself.
      for (const sessionId of found) if (!this.#working.has(sessionId)) this.wake(sessionId);
      after = found.length < WORK_PAGE ? undefined : found.at(-1);
    }
  }

  /** What time alone brings about. It may take long; that the daemon lives is told apart from it. */
  async tick(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    await this.#stopLost();
    await this.look();
  }

  /** There may be work for this session. Must not throw. */
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

  /** Resolves when no driver is at this session, or those that are were given up. */
  async idle(sessionId: string): Promise<void> {
    await this.#working.get(sessionId)?.done;
  }

  /** A run has ended in the log: its driver is stopped. */
  ended(runId: string): void {
    this.#executions.stop(runId);
  }

  /** What drivers keep for a session can go, as soon as none of them is at it. */
  forget(sessionId: string): void {
    if (this.#executions.isOf(sessionId)) this.#toForget.add(sessionId);
    else for (const driver of this.ports.drivers.values()) driver.forget(sessionId);
  }

  /** Another daemon wrote to this session, or to any: it may have queued, cancelled or taken something. */
  hint(sessionId?: string): void {
    const looking = sessionId === undefined ? this.look() : this.#hear(sessionId);
    Promise.all([looking, this.#stopLost(sessionId)]).catch((error: unknown) => {
      this.#diagnose('what another daemon wrote could not be looked at', { sessionId, error });
    });
  }

  async #hear(sessionId: string): Promise<void> {
    if (this.#working.has(sessionId)) {
      this.wake(sessionId);
      return;
    }
    const standing = await this.ports.ownership.standing(sessionId);
    if (standing === 'work') this.wake(sessionId);
    if (standing === 'ended') this.forget(sessionId);
  }

  /**
   * Lets go of everything. Runs under way are not ended: whoever starts next takes them up where they
   * are. Resolves when the drivers have stopped, or have been given time to.
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
      if (isSame && (resumptions === 0 || resumptions > MOST_RESUMPTIONS))
        await this.#giveUp(claim);
      else resumptions = (await this.#execute(claim)) === 'store_failed' ? resumptions + 1 : 0;
      last = claim;
    }
    if (last && !this.#stop.signal.aborted) await this.ports.ownership.release(last);
  }

  /** Its driver let go of it and it did not end: taken up again it would do the same, for ever. */
  async #giveUp(claim: Claim): Promise<void> {
    this.#diagnose('a driver let go of a run that did not end', { runId: claim.runId });
    const message = 'The driver let go of the run without an end';
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

  /** Undefined when the run is not this daemon's to end: it has ended, or will be taken up again. */
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
      if (claim.isResumed) await this.#tellUnknown(claim, journal);
      const { capabilities } = driver;
      const reads = await clearUnaskedReads(this.ports, claim, capabilities, journal, signal);
      if (typeof reads === 'object') return reads;
      await context.storeWait.run(() => tellContext(context, claim, journal), signal);
      await context.storeWait.run(() => activity.begin(), signal);
      const ports = { ...this.ports, mayRead: reads === 'allowed' };
      const run = await openRun(ports, claim, journal, signal, activity);
      // It may have ended while it was being opened: no driver needs to hear of it then.
      signal.throwIfAborted();
      execution.run = run;
      const end = await this.#untilStopped(driver.execute(run), claim, signal);
      // What it says is counted now; whoever speaks for it comes too late.
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

  /** What was started and has no result is told to the model, and never run again by itself. */
  async #tellUnknown(claim: Claim, journal: RunJournal): Promise<void> {
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

  /** The end of a run must be known: as long as the store cannot take it, it is tried again. */
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

  /** A driver that ignores the signal does not hold up the session for ever. */
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
    this.#diagnose('a driver did not stop when it was told to', { runId });
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

/** Every claim is a new epoch: when none lies between them, nobody else had the run. */
const isSameAgain = (last: Claim | undefined, claim: Claim): boolean =>
  last?.runId === claim.runId && last.epoch + 1 === claim.epoch;

/**
 * What a run that is done answers: what it emitted, or else what it wrote last. In a channel text that
 * people would have to approve first is not published.
 */
async function answerOf(run: RunContext, finalText: readonly StoredItem[]): Promise<RunEnd> {
  const emitted = await run.journal.emitted();
  if (run.kind !== 'channel_delivery') return { type: 'completed', output: emitted ?? finalText };
  const isWithheld =
    emitted === undefined && finalText.some(hasContent) && !maySpeakUnasked(await run.policy());
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
