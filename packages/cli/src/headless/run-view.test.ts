import type { SessionItem, TextChunk } from '@stoa/client';
import type { Approval, AssistantPart, SessionEvent, Stamped } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { type RunStep, RunView } from './run-view.js';

let seq = 0;
const ofRun = (runId: string) => ({
  runId,
  origin: {},
  identity: { id: 'player', displayName: 'Player' },
  memoryScope: { namespace: 'player', mode: 'metadata-only' as const },
});
const stamped = (event: SessionEvent): Stamped => {
  seq += 1;
  return { ...event, topic: 'session:ses_1', seq, at: 0, actor: 'session:ses_1' };
};
const chunk = (step: number, offset: number, text: string, runId = 'run_1'): TextChunk => ({
  type: 'text_chunk',
  topic: 'session:ses_1',
  runId,
  step,
  offset,
  text,
});
const message = (step: number, text: string, runId = 'run_1'): Stamped => {
  const parts: AssistantPart[] = [
    { type: 'reasoning', text: 'thinking' },
    { type: 'text', text },
    { type: 'tool_call', callId: 'c', tool: 'shell', input: {} },
  ];
  const data = { step, parts, finishReason: 'stop', ...ofRun(runId) };
  return stamped({ type: 'model_message', data });
};
const completed = (text: string, runId = 'run_1'): Stamped =>
  stamped({
    type: 'completed',
    data: { output: text === '' ? [] : [{ type: 'text', text }], ...ofRun(runId) },
  });
const approval: Approval = {
  approvalId: 'apr_1',
  kind: 'tool',
  sessionId: 'ses_1',
  runId: 'run_1',
  callId: 'c',
  tool: 'shell',
  title: 'Run \u001b[2Jnpm test',
  input: {},
  inputHash: 'h',
  reason: 'mode ask',
  state: 'pending',
  createdAt: 0,
  expiresAt: 1,
};

function shown(items: readonly SessionItem[]): { text: string; lines: string[]; rest: RunStep[] } {
  const view = new RunView('itm_1', 'run_1');
  const steps = items.flatMap((item) => view.take(item));
  return {
    text: steps.map((step) => (step.type === 'text' ? step.text : '')).join(''),
    lines: steps.flatMap((step) => (step.type === 'line' ? [step.text] : [])),
    rest: steps.filter(({ type }) => type !== 'text' && type !== 'line'),
  };
}

describe('RunView', () => {
  it('R-7 writes text as it comes, once, and ends with the outcome', () => {
    const { text, rest } = shown([
      chunk(0, 0, 'Hel'),
      chunk(0, 3, 'lo'),
      message(0, 'Hello.'),
      completed('Hello.'),
    ]);
    expect(text).toBe('Hello.\n');
    expect(rest).toEqual([
      { type: 'end', outcome: { type: 'completed', output: [{ type: 'text', text: 'Hello.' }] } },
    ]);
  });

  it('writes what chunks missed when the message is whole', () => {
    expect(shown([message(0, 'All of it')]).text).toBe('All of it\n');
    expect(shown([chunk(0, 5, 'hole'), message(0, 'with hole')]).text).toBe('with hole\n');
    expect(shown([chunk(0, 0, 'one '), chunk(0, 9, '!'), message(0, 'one two !')]).text).toBe(
      'one two !\n',
    );
  });

  it('does not repeat the text of a chunk from the start, and restarts if the text differs', () => {
    expect(
      shown([chunk(0, 0, 'Hello'), chunk(0, 0, 'Hello, you'), message(0, 'Hello, you')]).text,
    ).toBe('Hello, you\n');
    expect(shown([chunk(0, 0, 'First try'), chunk(0, 0, 'Sec'), message(0, 'Second')]).text).toBe(
      'First try\nSecond\n',
    );
  });

  it('parts the texts of steps, and closes the line of one that was cut off', () => {
    const cancelled = stamped({
      type: 'cancelled',
      data: { reason: 'cancel_command', ...ofRun('run_1') },
    });
    expect(shown([message(0, 'one'), chunk(1, 0, 'tw'), cancelled]).text).toBe('one\ntw\n');
  });

  it('writes an output only if it was not shown before', () => {
    expect(shown([completed('only this')]).text).toBe('only this\n');
    expect(shown([message(0, 'a'), message(1, 'b'), completed('a\n\nb')]).text).toBe('a\nb\n');
    const emitted = stamped({
      type: 'output_emitted',
      data: { items: [{ type: 'text', text: 'emitted' }], ...ofRun('run_1') },
    });
    expect(shown([message(0, 'a'), emitted, completed('emitted')]).text).toBe('a\nemitted\n');
  });

  it('R-19 shows calls and approvals in one line each, and asks', () => {
    const call = { callId: 'c', tool: 'shell', kind: 'execute' as const, title: 'Run npm test' };
    const { lines, rest } = shown([
      stamped({ type: 'waiting_approval', data: { approval, ...ofRun('run_1') } }),
      stamped({
        type: 'approval_settled',
        data: {
          approvalId: 'apr_1',
          state: 'allowed',
          scope: 'session',
          answeredBy: 'human:owner',
          ...ofRun('run_1'),
        },
      }),
      stamped({
        type: 'tool_call',
        data: { ...call, input: {}, inputHash: 'h', ...ofRun('run_1') },
      }),
      stamped({
        type: 'tool_result',
        data: {
          callId: 'c',
          tool: 'shell',
          outcome: 'error',
          output: 'no\nway',
          ...ofRun('run_1'),
        },
      }),
    ]);
    expect(lines).toEqual([
      '? Run ␛[2Jnpm test',
      '✓ allowed by human:owner, always in this session',
      '→ Run npm test',
      '✗ shell error: no',
    ]);
    expect(rest).toEqual([
      { type: 'ask', approval },
      { type: 'settled', approvalId: 'apr_1' },
    ]);
  });

  it('leaves other runs of the session alone', () => {
    expect(
      shown([chunk(0, 0, 'x', 'run_2'), message(0, 'x', 'run_2'), completed('x', 'run_2')]),
    ).toEqual({ text: '', lines: [], rest: [] });
  });

  it('goes with its item to another run', () => {
    const view = new RunView('itm_1', 'run_1');
    const requeued = (itemId: string) =>
      stamped({
        type: 'requeued',
        data: { itemId, attempts: 0, reason: 'its run ended first', ...ofRun('run_2') },
      });
    view.take(requeued('itm_2'));
    expect(view.runId).toBe('run_1');
    view.take(requeued('itm_1'));
    expect(view.runId).toBe('run_2');
    expect(view.take(completed('', 'run_1'))).toEqual([]);
    expect(view.take(completed('', 'run_2'))).toMatchObject([{ type: 'end' }]);
  });
});
