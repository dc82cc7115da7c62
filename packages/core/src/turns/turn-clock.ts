import type { Origin, TurnDecision } from '@stoa/protocol';
import { nextTurnAt } from '@stoa/store';
import type { LogEntry } from '../log/entry.js';
import type { Timers } from '../ports.js';
import type { TurnContext } from './context.js';
import type { Turns } from './turns.js';

/** A timer that is set too far ahead would overflow; looking too early costs a query. */
const LONGEST_MS = 3_600_000;
const RETRY_MS = 1_000;

/**
 * Looks at threads when their time comes: one timer, set to the earliest that is known. What another
 * daemon wrote is found by whoever looks around now and then.
 */
export class TurnClock {
  #cancel: (() => void) | undefined;
  #at = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(
    private readonly context: TurnContext,
    private readonly turns: Turns,
    private readonly timers: Timers,
  ) {}

  /** Looks at what is due, and sets the timer to what comes next. */
  async look(): Promise<void> {
    if (this.#isStopped) return;
    this.#forget();
    try {
      await this.turns.tick();
      const next = await this.context.sessions.store.read(() => nextTurnAt.first({}));
      if (next && next.at !== null) this.#wakeAt(next.at);
    } catch (error) {
      this.context.sessions.diagnose('threads could not be looked at', { error });
      this.#wakeAt(this.context.sessions.clock.now() + RETRY_MS);
    }
  }

  committed(entries: readonly LogEntry[]): void {
    for (const { type, body } of entries) {
      if (type === 'turn_decided') {
        const { turn } = JSON.parse(body) as TurnDecision;
        if (turn.wakeAt !== undefined) this.#wakeAt(turn.wakeAt);
      } else if (type === 'approval_settled') {
        void this.#answered((JSON.parse(body) as { origin: Origin }).origin);
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#forget();
  }

  /** A run goes on: its time begins anew. Should this be lost, the thread is looked at later. */
  async #answered({ channelId, threadRootMessageId }: Origin): Promise<void> {
    if (channelId === undefined || threadRootMessageId === undefined) return;
    try {
      await this.turns.look(channelId, threadRootMessageId, 'answered');
    } catch (error) {
      this.context.sessions.diagnose('a thread could not be looked at', { channelId, error });
    }
  }

  #wakeAt(at: number): void {
    if (this.#isStopped || at >= this.#at) return;
    this.#cancel?.();
    this.#at = at;
    const wait = Math.max(0, at - this.context.sessions.clock.now());
    this.#cancel = this.timers.after(Math.min(wait, LONGEST_MS), () => {
      void this.look();
    });
  }

  #forget(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }
}
