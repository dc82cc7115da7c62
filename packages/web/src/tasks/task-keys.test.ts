import { expect, it } from 'vitest';
import { taskActOf, taskHints } from './task-keys.js';

const can = { stop: true, send: false, resume: false, promote: false };

it('W-7 only keys that work are named, and only they do something', () => {
  expect(taskHints(can, 2)).toEqual([
    ['j k', 'choose'],
    ['x', 'stop'],
    ['Esc', 'close'],
  ]);
  expect(['x', 'm', 'b', 'r'].map((key) => taskActOf(key, can))).toEqual([
    'stop',
    undefined,
    undefined,
    undefined,
  ]);
  const all = { stop: true, send: true, resume: true, promote: true };
  expect(taskHints(all, 1).map(([key]) => key)).toEqual(['x', 'm', 'b', 'r', 'Esc']);
  expect(taskHints(undefined, 0)).toEqual([['Esc', 'close']]);
});
