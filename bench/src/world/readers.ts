import type { ReaderRequest } from '../load/reader-messages.js';
import type { ReaderTarget } from '../load/web-socket-reader.js';
import { Child } from './child.js';
import type { Scope } from './scope.js';

/** The readers of one server: how long until all of them have what was sent. */
export interface Readers {
  readonly count: number;
  /** Call it for frames that were sent or will be; resolves with when each reader had the last. */
  arrivals(frames: number): Promise<readonly number[]>;
}

/** The process in which the readers of all servers live. */
export class ReaderProcess {
  private constructor(private readonly child: Child) {}

  static async start(scope: Scope): Promise<ReaderProcess> {
    return new ReaderProcess(await Child.startProgram(scope, 'readers'));
  }

  async open(target: ReaderTarget, count: number): Promise<Readers> {
    const group = await this.#ask<number>({ kind: 'open', target, count });
    let expected = 0;
    return {
      count,
      arrivals: (frames) => {
        expected += frames;
        return this.#ask<readonly number[]>({ kind: 'arrivals', group, frames: expected });
      },
    };
  }

  async stall(target: ReaderTarget, count: number): Promise<void> {
    await this.#ask<number>({ kind: 'stall', target, count });
  }

  #ask<T>(request: ReaderRequest): Promise<T> {
    return this.child.ask<T>(request);
  }
}
