import { TaskStatus } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { isEnded, mayBecome } from './lifecycle.js';

describe('the states of a task', () => {
  const next = (now: TaskStatus, canRevive = false): TaskStatus[] =>
    TaskStatus.options.filter((status) => mayBecome(now, status, canRevive));

  it('lead from queued over running to an end, and back only from paused', () => {
    expect(next('queued')).toEqual(['running', 'failed', 'cancelled', 'lost']);
    expect(next('running')).toEqual(['paused', 'completed', 'failed', 'cancelled', 'lost']);
    expect(next('paused')).toEqual(['queued', 'running', 'cancelled', 'lost']);
  });

  it('have ends that nothing follows, except completed if the kind can be revived', () => {
    const ends = TaskStatus.options.filter(isEnded);
    expect(ends).toEqual(['completed', 'failed', 'cancelled', 'lost']);
    for (const end of ends) expect(next(end)).toEqual([]);
    expect(next('completed', true)).toEqual(['queued', 'running']);
    for (const end of ['failed', 'cancelled', 'lost'] as const) expect(next(end, true)).toEqual([]);
  });
});
