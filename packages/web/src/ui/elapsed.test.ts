import { expect, it } from 'vitest';
import { elapsedText } from './elapsed.js';

it('a duration shows its two largest units', () => {
  const texts = [0, 999, 3_000, 250_000, 3_600_000, 3_605_000, 184_000_000].map(elapsedText);
  expect(texts).toEqual(['0s', '0s', '3s', '4m 10s', '1h', '1h', '2d 3h']);
});
