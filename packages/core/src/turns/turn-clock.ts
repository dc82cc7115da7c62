import type { Origin, TurnDecision } from '@stoa/protocol';
import { nextTurnAt } from '@stoa/store';
import type { LogEntry } from '../log/entry.js';
import type { Timers } from '../ports.js';
import { Alarm } from '../upkeep/alarm.js';
import type { TurnContext } from './context.js';
import type { Turns } from './turns.js';

const RETRY_MS = 1_000;
/** After the store was away, daemons have this long to record that their runs are at work. */
const BACK_MS = 2_000;

/**
 * Looks at threads when their time comes. What another daemon wrote is found by whoever looks around now
 * and then.
 */
export class TurnClock {
  readonly #alarm: Alarm;

  constructor(
    private readonly context: TurnContext,
    private readonly turns: Turns,
    timers: Timers,
    private readonly showActive: () => Promise<void>,
  ) {
    this.#alarm = new Alarm(context.sessions.clock, timers, () => void this.look());
  }

  /** Looks at what is due, and sets the timer to what comes next. */
  async look(): Promise<void> {
    if (this.#alarm.isStopped) return;
    this.#alarm.clear();
    const { store, storeWait, clock, diagnose } = this.context.sessions;
    try {
      if (storeWait.outage) await this.showActive();
      const lookedAt = clock.now();
      if (lookedAt < storeWait.backAt + BACK_MS) {
        this.#alarm.setTo(storeWait.backAt + BACK_MS);
        return;
      }
      const isMore = await storeWait.observe(() => this.turns.tick());
      const next = await store.read(() => nextTurnAt.first({}));
      if (!next || next.at === null) return;
      // What is still due could not be decided about: trying again at once would be all this daemon does.
      const isStuck = next.at <= lookedAt && !isMore;
      this.#alarm.setTo(isStuck ? clock.now() + RETRY_MS : next.at);
    } catch (error) {
      diagnose('threads could not be looked at', { error });
      this.#alarm.setTo(clock.now() + RETRY_MS);
    }
  }

  committed(entries: readonly LogEntry[]): void {
    for (const { type, body } of entries) {
      if (type === 'turn_decided') {
        const { turn } = JSON.parse(body) as TurnDecision;
        if (turn.wakeAt !== undefined) this.#alarm.setTo(turn.wakeAt);
      } else if (type === 'approval_settled') {
        void this.#answered((JSON.parse(body) as { origin: Origin }).origin);
      }
    }
  }

  stop(): void {
    this.#alarm.stop();
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
}
