import { StoaError } from '@stoa/protocol';
import type { Clock, Timers } from '../ports.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** A time during which the store accepts no writes. */
export interface Outage {
  readonly code: 'storage_unavailable' | 'storage_full';
  readonly since: number;
  /** The number of calls that wait for its end. */
  readonly waiting: number;
}

interface Ports {
  readonly timers: Timers;
  readonly clock: Clock;
  /** Called once when an outage begins and once when it ends. Must not throw. */
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

/**
 * Repeats calls to the store while it is unreachable or full, so that work in progress is suspended and not lost.
 *
 *   available ──a call fails with storage_unavailable──▶ unavailable ──a call succeeds──▶ available
 *             ──a call fails with storage_full─────────▶ full ──a waiting call succeeds──▶ available
 *
 * During an outage all waiting calls are repeated at the same moments: after 50 ms, and then at intervals that double up to
 * one second, without a limit. A signal ends the wait of one caller.
 *
 * It must be safe to repeat a call whose outcome is unknown. `Log.write` with a `StoreWait` is safe.
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

  /** Learns from a call that does not wait whether the store is available. */
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

  /** Rejects with errors that are no failure of the store, and with the reason of the signal. */
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

  /** Resolves at the next moment at which waiting calls are repeated. */
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
    this.ports.diagnose('the store takes nothing; runs are suspended until it does', {
      code,
      message,
    });
  }

  /** A full store still answers reads and small changes, so only the success of a waiting call ends `storage_full`. */
  #succeeded(hasWaited: boolean): void {
    if (!this.#since) return;
    const { code, at } = this.#since;
    if (code === 'storage_full' && this.#waiting > 0 && !hasWaited) return;
    this.#since = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#backAt = this.ports.clock.now();
    const milliseconds = this.#backAt - at;
    this.ports.diagnose('the store is back; suspended runs go on', { code, milliseconds });
  }
}

type StoreFailure = StoaError & { readonly code: Outage['code'] };

/** A failure of the store that may pass. */
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
