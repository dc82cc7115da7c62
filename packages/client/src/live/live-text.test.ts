import { describe, expect, it } from 'vitest';
import type { TextChunk } from './follow-item.js';
import { LiveText } from './live-text.js';

const chunk = (offset: number, text: string, step = 0, runId = 'run_1'): TextChunk => ({
  type: 'text_chunk',
  topic: 'session:ses_1',
  runId,
  step,
  offset,
  text,
});

describe('LiveText', () => {
  it('puts chunks together', () => {
    const live = new LiveText();
    expect(live.take(chunk(0, 'Hel'))).toEqual({ type: 'append', text: 'Hel' });
    expect(live.take(chunk(3, 'lo'))).toEqual({ type: 'append', text: 'lo' });
    expect(live.text).toBe('Hello');
    expect(live.isOf('run_1', 0)).toBe(true);
  });

  it('R-7 begins anew with a chunk from the start: who comes late gets all so far', () => {
    const live = new LiveText();
    expect(live.take(chunk(0, 'The text so far'))).toEqual({
      type: 'append',
      text: 'The text so far',
    });
    expect(live.take(chunk(0, 'Another text'))).toEqual({ type: 'replace', text: 'Another text' });
    expect(live.take(chunk(0, 'Another text, longer'))).toEqual({
      type: 'append',
      text: ', longer',
    });
    expect(live.text).toBe('Another text, longer');
  });

  it('does not show what comes behind a hole, until it begins anew', () => {
    const live = new LiveText();
    live.take(chunk(0, 'one '));
    expect(live.take(chunk(8, 'three'))).toEqual({ type: 'none' });
    expect(live.text).toBe('one ');
    expect(live.take(chunk(0, 'one two three'))).toEqual({ type: 'append', text: 'two three' });
  });

  it('keeps the texts of steps and runs apart', () => {
    const live = new LiveText();
    live.take(chunk(0, 'first'));
    expect(live.take(chunk(0, 'second', 1))).toEqual({ type: 'append', text: 'second' });
    expect(live.take(chunk(6, '?', 1, 'run_2'))).toEqual({ type: 'none' });
    expect(live.text).toBe('');
  });
});
