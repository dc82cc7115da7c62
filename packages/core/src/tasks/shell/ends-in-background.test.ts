import { expect, it } from 'vitest';
import { endsInBackground } from './ends-in-background.js';

it.each([
  ['tail -f x &', true],
  ['tail -f x & # for long', true],
  ['a; tail -f x &\n\n', true],
  ['a & b', false],
  ['a && b', false],
  ['echo "&"', false],
  ['a 2>&1', false],
  ['a \\&', false],
  ['(', false],
])('%j ends in the background: %s', (command, expected) => {
  expect(endsInBackground(command)).toBe(expected);
});
