/** A small generator of pseudo-random numbers (sfc32): the same seed gives the same run, everywhere. */
export class SeededRandom {
  #a: number;
  #b: number;
  #c = 0x9e3779b9;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 0x1_0000_0000) | 0;
    for (let i = 0; i < 12; i++) this.#word();
  }

  /** From 0 up to and without 1. */
  next(): number {
    return this.#word() / 0x1_0000_0000;
  }

  /** From 0 up to and without the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('there is nothing to pick from');
    return items[this.below(items.length)] as T;
  }

  /** Removes and returns any one of them. */
  take<T>(items: T[]): T {
    if (items.length === 0) throw new Error('there is nothing to take');
    return items.splice(this.below(items.length), 1)[0] as T;
  }

  weighted<T extends { readonly weight: number }>(items: readonly T[]): T {
    let rest = this.next() * items.reduce((sum, { weight }) => sum + weight, 0);
    for (const item of items) {
      rest -= item.weight;
      if (rest < 0) return item;
    }
    return this.pick(items);
  }

  #word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }
}
