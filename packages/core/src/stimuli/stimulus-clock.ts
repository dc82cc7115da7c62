import { nextExpiryAt, nextStimulusAt, together } from '@stoa/store';
import { Alarm } from '../kernel/alarm.js';
import type { Timers } from '../ports.js';
import type { StimulusContext } from './context.js';
import type { IdleThreads } from './idle-threads.js';
import type { Stimuli } from './stimuli.js';

const RETRY_MS = 1_000;

interface Times {
  readonly availableAt: number;
  readonly expiresAt?: number | undefined;
}

/** One that expires before it may be posted is settled when it expires. */
const nextTime = ({ availableAt, expiresAt = Infinity }: Times): number =>
  Math.min(availableAt, expiresAt);

/**
 * Posts stimuli when their time comes, and looks again when what they wait for may have happened: a turn
 * is over, a channel is resumed. What another daemon wrote is found by whoever looks around now and then.
 */
export class StimulusClock {
  readonly #alarm: Alarm;
  #looking: Promise<void> | undefined;

  constructor(
    private readonly context: StimulusContext,
    private readonly stimuli: Stimuli,
    private readonly idle: IdleThreads,
    timers: Timers,
  ) {
    this.#alarm = new Alarm(context.clock, timers, () => void this.look());
  }

  /** One look at a time; who asks while one is under way gets the next. */
  async look(): Promise<void> {
    const before = this.#looking;
    const looking = (async () => {
      await before;
      await this.#look();
    })();
    this.#looking = looking;
    await looking;
    if (this.#looking === looking) this.#looking = undefined;
  }

  changed(times: Times): void {
    this.#alarm.setTo(nextTime(times));
  }

  /** What stimuli wait for may have happened. */
  soon(): void {
    this.#alarm.setTo(this.context.clock.now());
  }

  stop(): void {
    this.#alarm.stop();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#looking;
  }

  async #look(): Promise<void> {
    if (this.#alarm.isStopped) return;
    this.#alarm.clear();
    const { store, clock, diagnose } = this.context;
    try {
      await this.idle.look();
      const isMore = await this.stimuli.tick();
      const now = clock.now();
      const next = await store.read(() =>
        together(nextStimulusAt.first({ now }), nextExpiryAt.first({ now })),
      );
      if (isMore) this.soon();
      else for (const row of next) if (row && row.at !== null) this.#alarm.setTo(row.at);
    } catch (error) {
      diagnose('stimuli could not be looked at', { error });
      this.#alarm.setTo(clock.now() + RETRY_MS);
    }
  }
}
