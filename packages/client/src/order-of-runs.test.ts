import type { Stamped } from '@stoa/protocol';
import { beforeEach, expect, it } from 'vitest';
import { inOrderOfRuns } from './order-of-runs.js';

let seq = 0;
beforeEach(() => {
  seq = 0;
});
/** The fields of an event that are read. */
function event(type: Stamped['type'], runId: string): Stamped {
  seq += 1;
  return { seq, at: seq, type, data: { runId } } as unknown as Stamped;
}
const order = (journal: readonly Stamped[]): { events: string[]; waiting: string[] } => {
  const { events, waiting } = inOrderOfRuns(journal);
  const name = ({ type, data }: Stamped): string => `${type} ${(data as { runId: string }).runId}`;
  return { events: events.map(name), waiting: waiting.map(name) };
};

it('W-14 an item accepted during a run waits after it, and then precedes its own answer', () => {
  const journal = [
    event('accepted', 'a'),
    event('started', 'a'),
    event('accepted', 'b'),
    event('model_message', 'a'),
  ];
  expect(order(journal)).toEqual({
    events: ['accepted a', 'started a', 'model_message a'],
    waiting: ['accepted b'],
  });
  journal.push(event('completed', 'a'));
  expect(order(journal)).toEqual({
    events: ['accepted a', 'started a', 'model_message a', 'completed a', 'accepted b'],
    waiting: [],
  });
  journal.push(event('accepted', 'c'), event('started', 'b'), event('model_message', 'b'));
  expect(order(journal).events.slice(4)).toEqual(['accepted b', 'started b', 'model_message b']);
});

it('W-14 a queued run has not begun', () => {
  const journal = [
    event('accepted', 'a'),
    event('queued', 'a'),
    event('started', 'a'),
    event('accepted', 'b'),
    event('queued', 'b'),
    event('model_message', 'a'),
  ];
  expect(order(journal).waiting).toEqual(['accepted b']);
});

it('W-14 items injected into an active run, and earlier ones, keep their position', () => {
  const journal = [
    event('model_message', 'a'),
    event('accepted', 'a'),
    event('tool_call', 'a'),
    event('failed', 'a'),
    event('approval_settled', 'a'),
    event('accepted', 'b'),
    event('completed', 'b'),
  ];
  expect(inOrderOfRuns(journal)).toEqual({ events: journal, waiting: [] });
});

it('W-14 an item that is dropped before its run began is shown with its end', () => {
  const journal = [
    event('accepted', 'a'),
    event('accepted', 'b'),
    event('accepted', 'c'),
    event('model_message', 'a'),
    event('cancelled', 'b'),
    event('completed', 'a'),
    event('started', 'c'),
  ];
  expect(order(journal).events).toEqual([
    'accepted a',
    'model_message a',
    'accepted b',
    'cancelled b',
    'completed a',
    'accepted c',
    'started c',
  ]);
});
