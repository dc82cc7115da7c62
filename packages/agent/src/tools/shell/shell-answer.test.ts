import { expect, it } from 'vitest';
import { slowAdvice } from './shell-answer.js';

it('T-10 a command that took half of its time gets advice, but not below one second and not without a limit', () => {
  expect(slowAdvice(61_000, 120_000)).toMatch(/^Took 61000 of 120000 ms/);
  expect(slowAdvice(60_000, 120_000)).toMatch(/^Took/);
  expect(slowAdvice(59_000, 120_000)).toBeUndefined();
  expect(slowAdvice(999, 1_000)).toBeUndefined();
  expect(slowAdvice(1_000, 1_000)).toMatch(/^Took/);
  expect(slowAdvice(1e9, undefined)).toBeUndefined();
});
