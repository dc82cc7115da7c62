import type { Clock, Ids } from '@stoa/core';
import type { SeededRandom } from './random.js';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const RANDOM_CHARS = 10;
const COUNT_CHARS = 6;

/** Ids in the format of the real ones; a counter makes them unique in a run. */
export function virtualIds(clock: Clock, random: SeededRandom): Ids {
  let count = 0;
  return {
    next(prefix) {
      count += 1;
      let chance = '';
      for (let i = 0; i < RANDOM_CHARS; i++) chance += ALPHABET.charAt(random.below(32));
      return `${prefix}_${inBase32(clock.now(), TIME_CHARS)}${chance}${inBase32(count, COUNT_CHARS)}`;
    },
  };
}

function inBase32(value: number, length: number): string {
  let text = '';
  for (let rest = value, i = 0; i < length; i++, rest = Math.floor(rest / 32)) {
    text = ALPHABET.charAt(rest % 32) + text;
  }
  return text;
}
