import type { Origin, Turn } from '@stoa/protocol';
import { nextTurnAt } from '@stoa/store';
import { Alarm } from '../kernel/alarm.js';
import type { Timers } from '../ports.js';
import type { SessionContext } from '../sessions/context.js';
import type { Turns } from './turns.js';

const RETRY_MS = 1_000;
/** After an outage of the store, daemons have this long to record that their runs are active. */
const GRACE_AFTER_OUTAGE_MS = 2_000;

/** Reevaluates threads when they are due. A regular check finds deadlines that another daemon stored. */
export class TurnClock {
  readonly #alarm: Alarm;

  constructor(
    private readonly context: SessionContext,
    private readonly turns: Turns,
    timers: Timers,
    private readonly showActive: () => Promise<void>,
  ) {
    this.#alarm = new Alarm(context.clock, timers, () => void this.check());
  }

  /** Reevaluates due threads, and sets the alarm to the next deadline. */
  async check(): Promise<void> {
    if (this.#alarm.isStopped) return;
    this.#alarm.clear();
    const { store, storeWait, clock, diagnose } = this.context;
    try {
      if (storeWait.outage) await this.showActive();
      const checkedAt = clock.now();
      const readyAt = storeWait.backAt + GRACE_AFTER_OUTAGE_MS;
      if (checkedAt < readyAt) {
        this.#alarm.setTo(readyAt);
        return;
      }
      const hasMore = await storeWait.observe(() => this.turns.tick());
      const next = await store.read(() => nextTurnAt.first({}));
      if (!next || next.at === null) return;
      // Threads that are still due failed: they are retried later, not in a busy loop.
      const hasFailed = next.at <= checkedAt && !hasMore;
      this.#alarm.setTo(hasFailed ? clock.now() + RETRY_MS : next.at);
    } catch (error) {
      diagnose('threads could not be reevaluated', { error });
      this.#alarm.setTo(clock.now() + RETRY_MS);
    }
  }

  setFor({ wakeAt }: Turn): void {
    if (wakeAt !== undefined) this.#alarm.setTo(wakeAt);
  }

  stop(): void {
    this.#alarm.stop();
  }

  /** A run continues after an approval, so the time of its lease starts again. Does not reject; if it fails, a tick does the same later. */
  async approvalSettled({ channelId, threadRootMessageId }: Origin): Promise<void> {
    if (channelId === undefined || threadRootMessageId === undefined) return;
    try {
      await this.turns.reevaluate(channelId, threadRootMessageId, 'answered');
    } catch (error) {
      this.context.diagnose('a thread could not be reevaluated', { channelId, error });
    }
  }
}
