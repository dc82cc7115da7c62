import { monotonicMs } from '../measure/monotonic.js';
import { type ReaderTarget, WebSocketReader } from './web-socket-reader.js';

interface Awaited {
  readonly frames: number;
  behind: number;
  readonly arrivals: number[];
  readonly done: (arrivals: readonly number[]) => void;
}

/** Readers of one server, and when all of them have had so many frames. */
export class ReaderGroup {
  readonly #received = new Map<WebSocketReader, number>();
  #awaited: Awaited | undefined;

  private constructor(private readonly target: ReaderTarget) {}

  static async open(target: ReaderTarget, count: number): Promise<ReaderGroup> {
    const group = new ReaderGroup(target);
    await Promise.all(Array.from({ length: count }, () => group.#openOne()));
    return group;
  }

  /** Resolves with the time each reader had its n-th frame, counted from the beginning. */
  arrivalsOf(frames: number): Promise<readonly number[]> {
    return new Promise((done) => {
      const arrivals: number[] = [];
      for (const received of this.#received.values()) {
        if (received >= frames) arrivals.push(monotonicMs());
      }
      const behind = this.#received.size - arrivals.length;
      if (behind === 0) done(arrivals);
      else this.#awaited = { frames, behind, arrivals, done };
    });
  }

  #openOne(): Promise<void> {
    return new Promise((resolve) => {
      new WebSocketReader(this.target, {
        ready: (reader) => {
          this.#received.set(reader, 0);
          resolve();
        },
        frames: (reader, count) => {
          this.#count(reader, count);
        },
        closed: () => {
          throw new Error('the server closed a healthy reader');
        },
      });
    });
  }

  #count(reader: WebSocketReader, count: number): void {
    const before = this.#received.get(reader) ?? 0;
    this.#received.set(reader, before + count);
    const awaited = this.#awaited;
    if (!awaited || before >= awaited.frames || before + count < awaited.frames) return;
    awaited.arrivals.push(monotonicMs());
    awaited.behind -= 1;
    if (awaited.behind > 0) return;
    this.#awaited = undefined;
    awaited.done(awaited.arrivals);
  }
}

/** Readers that stop reading as soon as they are subscribed, and so never learn that they are disconnected. */
export async function openStalled(target: ReaderTarget, count: number): Promise<void> {
  const open = (): Promise<void> =>
    new Promise((resolve) => {
      new WebSocketReader(target, {
        ready: (reader) => {
          reader.stall();
          resolve();
        },
        frames: () => undefined,
        closed: () => undefined,
      });
    });
  await Promise.all(Array.from({ length: count }, open));
}
