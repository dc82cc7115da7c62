import type { TranscriptEntry } from '@stoa/core';
import { describe, expect, it } from 'vitest';
import { conversationOf } from './conversation.js';
import type { ModelMessage } from './model-client.js';

const ports = { findAsset: () => Promise.resolve(undefined), takesImages: true };
const textInput = (text: string, fromName = 'Ann') => ({
  itemId: `i-${text}`,
  kind: 'input' as const,
  from: 'human:a',
  fromName,
  inputItems: [{ type: 'text' as const, text }],
  origin: {},
  metadata: {},
});
const input = (seq: number, text: string, runId = 'r1'): TranscriptEntry => ({
  type: 'input',
  seq,
  runId,
  input: textInput(text),
});
const calls = (seq: number, ...ids: string[]): TranscriptEntry => ({
  type: 'assistant',
  seq,
  runId: 'r1',
  step: 0,
  provider: 'fake',
  parts: ids.map((callId) => ({ type: 'tool_call', callId, tool: 't', input: { callId } })),
});
const result = (seq: number, callId: string): TranscriptEntry => ({
  type: 'tool_result',
  seq,
  runId: 'r1',
  callId,
  tool: 't',
  outcome: 'ok',
  output: `did ${callId}`,
});

const outline = (messages: readonly ModelMessage[]): string[] =>
  messages.map((message) => {
    if (message.role === 'tool')
      return `tool ${message.results.map(({ callId }) => callId).join(' ')}`;
    if (message.role === 'assistant') return 'assistant';
    return `user ${message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('|')}`;
  });

describe('the conversation for a model', () => {
  it('has results in the order of their calls, and later input after them', async () => {
    const entries = [
      input(1, 'go'),
      calls(2, 'a', 'b'),
      result(3, 'b'),
      input(4, 'wait'),
      result(5, 'a'),
    ];
    expect(outline(await conversationOf(entries, [], ports))).toEqual([
      'user go',
      'assistant',
      'tool a b',
      'user wait',
    ]);
  });

  it('is the same before and after the delivery of the input', async () => {
    const entries = [input(1, 'one'), input(2, 'two')];
    const asked = await conversationOf([], [textInput('one'), textInput('two')], ports);
    expect(await conversationOf(entries, [], ports)).toEqual(asked);
    expect(outline(asked)).toEqual(['user From Ann:\none|From Ann:\ntwo']);
  });

  it('mentions work that was cancelled', async () => {
    const entries: TranscriptEntry[] = [
      input(1, 'go'),
      { type: 'end', seq: 2, runId: 'r1', how: 'cancelled' },
      input(3, 'again', 'r2'),
    ];
    expect(outline(await conversationOf(entries, [], ports))).toEqual([
      'user go',
      'user [Stoa: The previous work was cancelled at this point.]',
      'user again',
    ]);
  });
});
