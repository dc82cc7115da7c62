import type { SessionEvent, Stamped } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { journalText } from './journal-text.js';
import { painter } from './paint.js';

const at = new Date(2026, 6, 15, 14, 3, 9).getTime();
const style = { paint: painter(false), now: at, full: false };
const ofRun = {
  runId: 'run_1',
  origin: {},
  identity: { id: 'player', displayName: 'Player' },
  memoryScope: { namespace: 'player', mode: 'metadata-only' as const },
};
const text = (event: SessionEvent, full = false): string | undefined => {
  const stamped: Stamped = { ...event, topic: 'session:ses_1', seq: 1, at, actor: 'system' };
  return journalText(stamped, { ...style, full });
};
const result = (output: string, outcome: 'ok' | 'error' = 'ok'): SessionEvent => ({
  type: 'tool_result',
  data: { callId: 'c', tool: 'shell', outcome, output, ...ofRun },
});

describe('journalText', () => {
  it('shows each author and text, with a margin', () => {
    expect(
      text({
        type: 'model_message',
        data: {
          step: 0,
          parts: [{ type: 'text', text: 'one\ntwo\u001b[2J' }],
          finishReason: 'stop',
          ...ofRun,
        },
      }),
    ).toBe('14:03:09 Player: one\n    │ two␛[2J');
  });

  it('shows no line for a message that only calls', () => {
    const parts = [{ type: 'tool_call' as const, callId: 'c', tool: 'shell', input: {} }];
    expect(
      text({
        type: 'model_message',
        data: { step: 0, parts, finishReason: 'tool-calls', ...ofRun },
      }),
    ).toBeUndefined();
  });

  it('cuts what tools gave, unless all of it is asked for', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n');
    expect(text(result(lines))).toContain('line 7 … 4 more lines (--full)');
    expect(text(result(lines), true)).toContain('line 11');
    expect(text(result('no', 'error'))).toBe('14:03:09 * ✗ error: no');
  });

  it('names failures with their code', () => {
    const failure = { phase: 'agent' as const, code: 'unknown_model', message: 'There is none' };
    expect(text({ type: 'failed', data: { failure, ...ofRun } })).toBe(
      '14:03:09 * failed: There is none (unknown_model)',
    );
  });
});
