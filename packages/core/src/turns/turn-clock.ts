import type { Origin, TurnDecision } from '@stoa/protocol';
import { nextTurnAt } from '@stoa/store';
import { DurableQueue } from '../kernel/durable-queue.js';
import type { SessionContext } from '../sessions/context.js';
import type { Turns } from './turns.js';

/** After an outage of the store, daemons have this long to record that their runs are active. */
const GRACE_MS = 2_000;

/** Reevaluates threads when a deadline of their turn passes. */
export class TurnClock {
  readonly #queue: DurableQueue;

  constructor(
    private readonly context: SessionContext,
    private readonly turns: Turns,
    private readonly showActive: () => Promise<void>,
  ) {
    this.#queue = new DurableQueue(context, {
      failure: 'due threads could not be reevaluated',
      work: () => this.#work(),
      *next() {
        return (yield* nextTurnAt.first({}))?.at ?? null;
      },
    });
  }

  poll(): Promise<void> {
    return this.#queue.poll();
  }

  decided({ turn }: TurnDecision): void {
    if (turn.wakeAt !== undefined) this.#queue.changed(turn.wakeAt);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  /** The time of a lease starts again after an approval. Does not reject: a later poll does the same. */
  async answered({ channelId, threadRootMessageId }: Origin): Promise<void> {
    if (channelId === undefined || threadRootMessageId === undefined) return;
    try {
      await this.turns.reevaluate(channelId, threadRootMessageId, 'answered');
    } catch (error) {
      this.context.diagnose('a thread could not be reevaluated', { channelId, error });
    }
  }

  async #work(): Promise<boolean> {
    const { storeWait, clock } = this.context;
    if (storeWait.outage) await this.showActive();
    const graceEnd = storeWait.backAt + GRACE_MS;
    if (clock.now() >= graceEnd) return storeWait.observe(() => this.turns.tick());
    this.#queue.changed(graceEnd);
    return false;
  }
}
