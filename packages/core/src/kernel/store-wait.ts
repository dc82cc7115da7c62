import { StoaError } from '@stoa/protocol';
import type { Clock, Timers } from '../ports.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** A time during which the store takes nothing. */
export interface Outage {
  readonly code: 'storage_unavailable' | 'storage_full';
  readonly since: number;
  /** How many calls wait for its end. */
  readonly waiting: number;
}

interface Ports {
  readonly timers: Timers;
  readonly clock: Clock;
  /** Called once when an outage begins and once when it ends. Must not throw. */
  readonly tell: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

/**
 * Repeats calls to the store while it cannot be reached or is full, so that work under way is suspended and not lost.
 *
 *   available ──a call fails with storage_unavailable──▶ away ──a call succeeds──▶ available
 *             ──a call fails with storage_full─────────▶ full ──a call that waited succeeds──▶ available
 *
 * While the store is away or full, everything that waits tries again at the same moments: after 50 ms, and then at intervals
 * that double up to one second. There is no limit on how long that goes on; a signal ends the wait of one caller.
 *
 * A call is repeated, so it must be safe to repeat also when nobody knows whether it was committed. `Log.write` is,
 * when it is given a `StoreWait`.
 */
export class StoreWait {
  #since: { readonly code: Outage['code']; readonly at: number } | undefined;
  #backAt = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #pause: Promise<void> | undefined;

  constructor(private readonly ports: Ports) {}

  get outage(): Outage | undefined {
    return this.#since && { code: this.#since.code, since: this.#since.at, waiting: this.#waiting };
  }

  /** When the last outage ended. */
  get backAt(): number {
    return this.#backAt;
  }

  /** Notices whether the store is there by a call that does not wait. */
  async observe<T>(call: () => Promise<T>): Promise<T> {
    try {
      const value = await call();
      this.#succeeded(false);
      return value;
    } catch (error) {
      if (isStoreFailure(error)) this.#failed(error);
      throw error;
    }
  }

  /** Rejects with everything that is no failure of the store, and with the reason of the signal. */
  async run<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let isWaiting = false;
    try {
      for (;;) {
        try {
          const value = await call();
          this.#succeeded(isWaiting);
          return value;
        } catch (error) {
          if (!isStoreFailure(error)) throw error;
          this.#failed(error);
          signal?.throwIfAborted();
        }
        if (!isWaiting) this.#waiting += 1;
        isWaiting = true;
        await untilAborted(this.#nextTry(), signal);
      }
    } finally {
      if (isWaiting) this.#waiting -= 1;
    }
  }

  /** Resolves at the next moment at which a call should be tried again. */
  #nextTry(): Promise<void> {
    this.#pause ??= new Promise<void>((resolve) => {
      this.ports.timers.after(this.#pauseMs, () => {
        this.#pause = undefined;
        resolve();
      });
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    });
    return this.#pause;
  }

  #failed({ code, message }: StoreFailure): void {
    if (this.#since) return;
    this.#since = { code, at: this.ports.clock.now() };
    this.ports.tell('the store takes nothing; runs are suspended until it does', { code, message });
  }

  /** A full store still answers reads and small changes: there is room when a call succeeds that had to wait. */
  #succeeded(hasWaited: boolean): void {
    if (!this.#since) return;
    const { code, at } = this.#since;
    if (code === 'storage_full' && this.#waiting > 0 && !hasWaited) return;
    this.#since = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#backAt = this.ports.clock.now();
    const milliseconds = this.#backAt - at;
    this.ports.tell('the store is back; suspended runs go on', { code, milliseconds });
  }
}

type StoreFailure = StoaError & { readonly code: Outage['code'] };

/** The store could not do it now and may be able to later. */
export const isStoreFailure = (error: unknown): error is StoreFailure =>
  error instanceof StoaError &&
  (error.code === 'storage_unavailable' || error.code === 'storage_full');

async function untilAborted(pause: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return pause;
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    void pause.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}
