import { describe, expect, it } from 'vitest';
import { painter, wantsColour } from './paint.js';

describe('colours', () => {
  it('appear only on a terminal and without NO_COLOR', () => {
    expect(wantsColour(true, {})).toBe(true);
    expect(wantsColour(false, {})).toBe(false);
    expect(wantsColour(true, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColour(true, { TERM: 'dumb' })).toBe(false);
  });

  it('leave text alone when they are off', () => {
    expect(painter(false).red('x')).toBe('x');
    expect(painter(true).red('x')).toBe('\u001b[31mx\u001b[39m');
  });
});
