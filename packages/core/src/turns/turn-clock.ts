import type { Origin, TurnDecision } from '@stoa/protocol';
import { nextTurnAt } from '@stoa/store';
import { Alarm } from '../kernel/alarm.js';
import type { Timers } from '../ports.js';
import type { SessionContext } from '../sessions/context.js';
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
    private readonly context: SessionContext,
    private readonly turns: Turns,
    timers: Timers,
    private readonly showActive: () => Promise<void>,
  ) {
    this.#alarm = new Alarm(context.clock, timers, () => void this.look());
  }

  /** Looks at what is due, and sets the timer to what comes next. */
  async look(): Promise<void> {
    if (this.#alarm.isStopped) return;
    this.#alarm.clear();
    const { store, storeWait, clock, diagnose } = this.context;
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

  decided({ turn }: TurnDecision): void {
    if (turn.wakeAt !== undefined) this.#alarm.setTo(turn.wakeAt);
  }

  stop(): void {
    this.#alarm.stop();
  }

  /**
   * A run continues after an approval: its lease time starts again. Should this be lost, a tick finds it. Does not
   * reject.
   */
  async answered({ channelId, threadRootMessageId }: Origin): Promise<void> {
    if (channelId === undefined || threadRootMessageId === undefined) return;
    try {
      await this.turns.reevaluate(channelId, threadRootMessageId, 'answered');
    } catch (error) {
      this.context.diagnose('a thread could not be looked at', { channelId, error });
    }
  }
}
