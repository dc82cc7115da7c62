import type { Store } from '@stoa/store';
import { initiativeOf } from './read-state.js';

interface Due {
  readonly topicId: number;
  readonly stimulusId: string;
}

const MOST_KNOWN = 10_000;

/**
 * Which initiative stimuli wait for, as far as attempts to post them have shown. The initiative of a stimulus
 * never changes, so this is never wrong; what is not known is found out by the next attempt. With it, one
 * look at a thread in which somebody has the turn passes over everything that waits for it.
 */
export class InitiativeWaits {
  readonly #keys = new Map<string, string>();

  constructor(private readonly store: Store) {}

  /** How many are known. */
  get size(): number {
    return this.#keys.size;
  }

  learn({ stimulusId }: Due, initiativeKey: string): void {
    if (this.#keys.size >= MOST_KNOWN) this.#keys.clear();
    this.#keys.set(stimulusId, initiativeKey);
  }

  forget({ stimulusId }: Due): void {
    this.#keys.delete(stimulusId);
  }

  /** For one pass over what is due: each thread is looked at once, and again after something was posted. */
  pass(): InitiativePass {
    return new InitiativePass(this.store, this.#keys);
  }
}

class InitiativePass {
  readonly #isBusy = new Map<string, boolean>();

  constructor(
    private readonly store: Store,
    private readonly keys: ReadonlyMap<string, string>,
  ) {}

  /** Whether this pass has seen already that it waits for a thread in which somebody has the turn. */
  isKnownToBeHeld({ topicId, stimulusId }: Due): boolean {
    const key = this.keys.get(stimulusId);
    return key !== undefined && this.#isBusy.get(groupOf(topicId, key)) === true;
  }

  /** Whether it waits for such a thread, as far as what it waits for is known. */
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

  /** Something was posted, which may have opened a turn. */
  lookAgain({ topicId, stimulusId }: Due): void {
    const key = this.keys.get(stimulusId);
    if (key !== undefined) this.#isBusy.delete(groupOf(topicId, key));
  }
}

const groupOf = (topicId: number, key: string): string => `${String(topicId)} ${key}`;
