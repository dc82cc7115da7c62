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
  it('assembles chunks', () => {
    const live = new LiveText();
    expect(live.take(chunk(0, 'Hel'))).toEqual({ type: 'append', text: 'Hel' });
    expect(live.take(chunk(3, 'lo'))).toEqual({ type: 'append', text: 'lo' });
    expect(live.text).toBe('Hello');
    expect(live.isOf('run_1', 0)).toBe(true);
  });

  it('R-7 a chunk at offset 0 replaces the text: late subscribers receive the text so far', () => {
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

  it('does not show text after a gap until a chunk at offset 0', () => {
    const live = new LiveText();
    live.take(chunk(0, 'one '));
    expect(live.take(chunk(8, 'three'))).toEqual({ type: 'none' });
    expect(live.text).toBe('one ');
    expect(live.take(chunk(0, 'one two three'))).toEqual({ type: 'append', text: 'two three' });
  });

  it('separates the texts of steps and runs', () => {
    const live = new LiveText();
    live.take(chunk(0, 'first'));
    expect(live.take(chunk(0, 'second', 1))).toEqual({ type: 'append', text: 'second' });
    expect(live.take(chunk(6, '?', 1, 'run_2'))).toEqual({ type: 'none' });
    expect(live.text).toBe('');
  });
});
