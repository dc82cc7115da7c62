import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY, mayRepeat } from './retry.js';

describe('mayRepeat', () => {
  it('repeats a lost call only when it cannot do its work twice', () => {
    expect(mayRepeat(DEFAULT_RETRY, 'always', 'lost', 1)).toBe(true);
    expect(mayRepeat(DEFAULT_RETRY, 'keyed', 'lost', 1)).toBe(true);
    expect(mayRepeat(DEFAULT_RETRY, 'never', 'lost', 1)).toBe(false);
    expect(mayRepeat(DEFAULT_RETRY, 'never', 'unavailable', 1)).toBe(false);
  });

  it('repeats any refused call, if the policy waits for a daemon', () => {
    expect(mayRepeat(DEFAULT_RETRY, 'never', 'refused', 1)).toBe(true);
    expect(mayRepeat({ ...DEFAULT_RETRY, whenRefused: false }, 'always', 'refused', 1)).toBe(false);
  });

  it('stops after the last attempt', () => {
    expect(mayRepeat(DEFAULT_RETRY, 'always', 'lost', DEFAULT_RETRY.attempts)).toBe(false);
  });
});
