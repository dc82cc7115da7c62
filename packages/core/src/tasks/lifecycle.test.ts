import { TaskStatus } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { isEnded, mayBecome } from './lifecycle.js';

describe('the life of a task', () => {
  const next = (now: TaskStatus, canRevive = false): TaskStatus[] =>
    TaskStatus.options.filter((status) => mayBecome(now, status, canRevive));

  it('goes from waiting to its end by running, and back only from a pause', () => {
    expect(next('queued')).toEqual(['running', 'failed', 'cancelled', 'lost']);
    expect(next('running')).toEqual(['paused', 'completed', 'failed', 'cancelled', 'lost']);
    expect(next('paused')).toEqual(['queued', 'running', 'cancelled', 'lost']);
  });

  it('has ends that nothing follows, but for completed ones that can be revived', () => {
    const ends = TaskStatus.options.filter(isEnded);
    expect(ends).toEqual(['completed', 'failed', 'cancelled', 'lost']);
    for (const end of ends) expect(next(end)).toEqual([]);
    expect(next('completed', true)).toEqual(['queued', 'running']);
    for (const end of ['failed', 'cancelled', 'lost'] as const) expect(next(end, true)).toEqual([]);
  });
});
