import { randomFillSync } from 'node:crypto';
import type { Ids } from '@stoa/core';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/**
 * 48 bits of time and 80 of randomness, base 32. Within a millisecond (or when the clock goes back)
 * the random part counts up instead, so ids of one process sort in the order they were made.
 */
export function createIds(
  now: () => number = Date.now,
  fill: (bytes: Uint8Array) => void = randomFillSync,
): Ids {
  const digits = new Uint8Array(RANDOM_CHARS);
  let lastTime = -1;
  let timeText = '';
  return {
    next(prefix) {
      const time = now();
      if (time > lastTime) {
        lastTime = time;
        timeText = encodeTime(time);
        fill(digits);
        for (let i = 0; i < RANDOM_CHARS; i++) digits[i] = (digits[i] as number) & 31;
      } else {
        increment(digits);
      }
      let text = '';
      for (let i = 0; i < RANDOM_CHARS; i++) text += ALPHABET[digits[i] as number] as string;
      return `${prefix}_${timeText}${text}`;
    },
  };
}

function encodeTime(time: number): string {
  let text = '';
  let rest = time;
  for (let i = 0; i < TIME_CHARS; i++) {
    text = (ALPHABET[rest % 32] as string) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const next = ((digits[i] as number) + 1) & 31;
    digits[i] = next;
    if (next !== 0) return;
  }
}
