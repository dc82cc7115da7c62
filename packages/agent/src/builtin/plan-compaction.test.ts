import type { TranscriptEntry } from '@stoa/core';
import { describe, expect, it } from 'vitest';
import { planCompaction } from './compact.js';

const LONG = 'x'.repeat(400);

const input = (seq: number, runId = 'r1'): TranscriptEntry => ({
  type: 'input',
  seq,
  runId,
  input: {
    itemId: `i${String(seq)}`,
    kind: 'input',
    from: 'human:a',
    fromName: 'Ann',
    inputItems: [{ type: 'text', text: LONG }],
    origin: {},
    metadata: {},
  },
});
const answer = (seq: number, calls: readonly string[] = [], runId = 'r1'): TranscriptEntry => ({
  type: 'assistant',
  seq,
  runId,
  step: seq,
  provider: 'fake',
  parts: [
    { type: 'text', text: LONG },
    ...calls.map((callId) => ({ type: 'tool_call' as const, callId, tool: 't', input: {} })),
  ],
});
const result = (seq: number, callId: string, runId = 'r1'): TranscriptEntry => ({
  type: 'tool_result',
  seq,
  runId,
  callId,
  tool: 't',
  outcome: 'ok',
  output: LONG,
});
const end = (seq: number, runId = 'r1'): TranscriptEntry => ({
  type: 'end',
  seq,
  runId,
  how: 'completed',
});
const summary: TranscriptEntry = { type: 'summary', seq: 90, text: LONG };

const upTo = (entries: readonly TranscriptEntry[], keepTokens: number): number | undefined =>
  planCompaction(entries, keepTokens)?.upToSeq;

describe('the compacted part of a transcript', () => {
  const two = [input(1), answer(2), end(3), input(4, 'r2'), answer(5, [], 'r2'), end(6, 'r2')];

  it('is not longer than necessary', () => {
    expect(upTo(two, 250)).toBe(2);
    expect(upTo(two, 10_000)).toBe(2);
  });

  it('never includes the newest exchange', () => {
    expect(upTo(two, 0)).toBe(5);
  });

  it('never separates a call from its result', () => {
    const entries = [
      input(1),
      answer(2, ['a', 'b']),
      result(4, 'b'),
      result(5, 'a'),
      answer(6),
      end(7),
    ];
    expect(upTo(entries, 200)).toBe(5);
  });

  it('never includes open calls', () => {
    const entries = [input(1), answer(2), end(3), input(4, 'r2'), answer(5, ['a'], 'r2')];
    expect(upTo(entries, 0)).toBe(3);
    expect(upTo([input(1), answer(2, ['a', 'b']), result(3, 'a')], 0)).toBeUndefined();
  });

  it('never ends within an event', () => {
    const entries = [input(1), answer(2, ['a']), result(5, 'a'), end(5), input(6, 'r2')];
    expect(upTo(entries, 200)).toBe(5);
  });

  it('is empty if there is only a question or a summary', () => {
    expect(upTo([input(1)], 0)).toBeUndefined();
    expect(upTo([summary], 0)).toBeUndefined();
    expect(upTo([summary, input(4)], 0)).toBeUndefined();
  });

  it('includes the previous summary', () => {
    const plan = planCompaction(
      [summary, answer(4), end(5), input(6, 'r2'), answer(7, [], 'r2')],
      300,
    );
    expect(plan).toMatchObject({ upToSeq: 4 });
    expect(plan?.older[0]).toBe(summary);
  });
});
