import type { Stamped } from '@stoa/protocol';
import { expect, it } from 'vitest';
import { journalRows } from './journal-rows.js';

let seq = 0;
/** The fields of an event that the rows use. */
function event(type: Stamped['type'], data: object, runId = 'run_1'): Stamped {
  seq += 1;
  const identity = { displayName: 'Worker' };
  return { seq, at: seq * 1_000, type, data: { runId, identity, ...data } } as unknown as Stamped;
}

const asks = (callId: string, tool: string): Stamped =>
  event('model_message', { step: 0, parts: [{ type: 'tool_call', callId, tool, input: {} }] });

it('a call is shown once, where the model requested it, with its result', () => {
  const rows = journalRows([
    asks('c1', 'shell'),
    event('tool_call', { callId: 'c1', tool: 'shell', title: 'Run ls', input: { command: 'ls' } }),
    event('note', { text: 'meanwhile', code: 'x' }),
    event('tool_result', {
      callId: 'c1',
      tool: 'shell',
      outcome: 'ok',
      output: 'a',
      durationMs: 5,
    }),
  ]);
  expect(rows).toMatchObject([
    { type: 'call', title: 'Run ls', input: { command: 'ls' }, state: 'ok', output: 'a' },
    { type: 'note', text: 'meanwhile' },
  ]);
});

it('a waiting call differs from a made one, and from one of the same name in another run', () => {
  const rows = journalRows([
    asks('c1', 'shell'),
    event('tool_call', { callId: 'c1', tool: 'shell', title: 'Run', input: 1 }, 'run_2'),
    event('tool_result', { callId: 'c9', tool: 'read_file', outcome: 'denied', output: 'no' }),
  ]);
  expect(rows.map((row) => row.type === 'call' && [row.title, row.state])).toEqual([
    ['shell', 'asked'],
    ['Run', 'open'],
    ['read_file', 'denied'],
  ]);
});

it('bookkeeping is omitted, ends are shown', () => {
  const rows = journalRows([
    event('delivered', { itemId: 'i' }),
    event('started', { attempt: 1 }),
    event('model_message', { step: 0, parts: [{ type: 'text', text: 'Hello' }] }),
    event('cancelled', { reason: 'cancel_command' }),
    event('failed', { failure: { code: 'model_error', message: 'no luck' } }),
  ]);
  expect(rows).toMatchObject([
    { type: 'answer', name: 'Worker', text: 'Hello' },
    { type: 'note', text: 'cancelled' },
    { type: 'note', text: 'failed: no luck (model_error)', tone: 'bad' },
  ]);
});

it('W-14 prompts sent during a run come last and are marked as waiting', () => {
  const answered = (text: string, runId: string): Stamped =>
    event(
      'accepted',
      { fromName: 'owner', kind: 'input', inputItems: [{ type: 'text', text }] },
      runId,
    );
  const answer = event('model_message', { step: 0, parts: [{ type: 'text', text: 'Long' }] });
  const rows = journalRows([
    answered('slow please', 'run_1'),
    answered('another', 'run_2'),
    answer,
  ]);
  expect(rows).toMatchObject([
    { type: 'asked', isWaiting: false, items: [{ text: 'slow please' }] },
    { type: 'answer', text: 'Long' },
    { type: 'asked', isWaiting: true, items: [{ text: 'another' }] },
  ]);
});
