import type { Store } from '@stoa/store';
import { initiativeOf } from './read-state.js';

interface Due {
  readonly topicId: number;
  readonly stimulusId: string;
}

const MAX_KNOWN = 10_000;

/**
 * Remembers the initiatives of stimuli that an attempt found held because the thread of their initiative has an open turn. The
 * initiative of a stimulus never changes, so an entry is never wrong, and a missing one costs one attempt. One read of a busy
 * thread then skips everything that waits for it.
 */
export class HeldStimuli {
  readonly #keys = new Map<string, string>();

  constructor(private readonly store: Store) {}

  get size(): number {
    return this.#keys.size;
  }

  add({ stimulusId }: Due, initiativeKey: string): void {
    if (this.#keys.size >= MAX_KNOWN) this.#keys.clear();
    this.#keys.set(stimulusId, initiativeKey);
  }

  delete({ stimulusId }: Due): void {
    this.#keys.delete(stimulusId);
  }

  /** For one round over due stimuli, which reads each thread once, and again after something was posted there. */
  round(): HeldInRound {
    return new HeldInRound(this.store, this.#keys);
  }
}

class HeldInRound {
  readonly #isBusy = new Map<string, boolean>();

  constructor(
    private readonly store: Store,
    private readonly keys: ReadonlyMap<string, string>,
  ) {}

  /** Whether this round has read already that its thread is busy. */
  isKnownToBeHeld({ topicId, stimulusId }: Due): boolean {
    const key = this.keys.get(stimulusId);
    return key !== undefined && this.#isBusy.get(groupOf(topicId, key)) === true;
  }

  /** Whether its thread is busy; false if its initiative is not known. */
  async isHeld({ topicId, stimulusId }: Due): Promise<boolean> {
    const key = this.keys.get(stimulusId);
    if (key === undefined) return false;
    const group = groupOf(topicId, key);
    const known = this.#isBusy.get(group);
    if (known !== undefined) return known;
    const thread = await this.store.read(() => initiativeOf(topicId, key));
    const isBusy = thread?.isBusy ?? false;
    this.#isBusy.set(group, isBusy);
    return isBusy;
  }

  /** It was posted, which may have opened a turn. */
  posted({ topicId, stimulusId }: Due): void {
    const key = this.keys.get(stimulusId);
    if (key !== undefined) this.#isBusy.delete(groupOf(topicId, key));
  }
}

const groupOf = (topicId: number, key: string): string => `${String(topicId)} ${key}`;
