import type { Approval } from '@stoa/protocol';
import { expect, it } from 'vitest';
import { approvalHints } from './card-keys.js';

const approval = (change: Partial<Approval> = {}): Approval =>
  ({ kind: 'tool', state: 'pending', ...change }) as Approval;

const keysOf = (change?: Partial<Approval>, count = 1): string[] =>
  approvalHints({ approval: approval(change), mode: 'look', count }).map(([keys]) => keys);

it('W-8 only keys that work are named: always where a rule is offered, j and k where there are more', () => {
  expect(keysOf()).toEqual(['a', 'e', 'd', 'Esc']);
  expect(keysOf({ suggestedRule: 'Shell(ls)' }, 2)).toEqual([
    'j k',
    'a',
    's',
    'w',
    'e',
    'd',
    'Esc',
  ]);
});

it('W-8 a question is answered by number where there are answers, one that is settled by none', () => {
  const options = [{ label: 'red' }, { label: 'blue' }];
  expect(keysOf({ kind: 'question', options })).toEqual(['1 2', 'e', 'Esc']);
  expect(keysOf({ kind: 'question' })).toEqual(['e', 'Esc']);
  expect(keysOf({ state: 'denied' })).toEqual(['Esc']);
});

it('W-8 who writes has the keyboard for that, and an empty dialog can only be closed', () => {
  expect(approvalHints({ approval: approval(), mode: 'deny', count: 2 })).toEqual([
    ['Esc', 'back'],
  ]);
  const nothing = { approval: undefined, mode: 'look' } as const;
  expect(approvalHints({ ...nothing, count: 0 })).toEqual([['Esc', 'close']]);
  expect(approvalHints({ ...nothing, count: 1 })).toEqual([
    ['j k', 'choose'],
    ['Esc', 'close'],
  ]);
});
