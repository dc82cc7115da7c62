import type { Run } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { exitCodeOf, type Outcome, outcomeOfRun } from './outcome.js';

const failure = { phase: 'agent' as const, code: 'x', message: 'y' };

describe('the exit code of stoa run', () => {
  it.each<[Outcome, number]>([
    [{ type: 'completed', output: [] }, 0],
    [{ type: 'failed', failure }, 1],
    [{ type: 'cancelled', reason: 'cancel_command' }, 130],
    [{ type: 'left' }, 130],
    [{ type: 'needs_approval', approvalIds: [] }, 3],
    [{ type: 'interrupted', reason: 'x' }, 4],
  ])('tells the outcome: %o', (outcome, code) => {
    expect(exitCodeOf(outcome)).toBe(code);
  });

  it('T-44 tells what went on or went wrong in the background of a run that went well', () => {
    const [none, one] = [[], ['x']];
    const exit = (live: string[], failed: string[], failedRuns: string[]): number =>
      exitCodeOf({ type: 'completed', output: [] }, { live, failed, failedRuns });
    expect(exit(none, none, none)).toBe(0);
    expect(exit(one, none, none)).toBe(5);
    expect(exit(one, one, none)).toBe(1);
    expect(exit(none, none, one)).toBe(1);
    const busy = { live: none, failed: none, isAtRest: false };
    expect(exitCodeOf({ type: 'completed', output: [] }, busy)).toBe(5);
    const failed = { live: one, failed: none, failedRuns: none };
    expect(exitCodeOf({ type: 'needs_approval', approvalIds: one }, failed)).toBe(3);
  });
});

describe('outcomeOfRun', () => {
  const run = (rest: Partial<Run>): Run => ({
    runId: 'run_1',
    sessionId: 'ses_1',
    kind: 'input',
    status: 'running',
    priority: 5,
    itemIds: [],
    origin: {},
    createdAt: 0,
    attempts: 1,
    usage: { modelCalls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    ...rest,
  });

  it('says nothing of a run that goes on', () => {
    expect(outcomeOfRun(run({}))).toBeUndefined();
    expect(outcomeOfRun(run({ status: 'waiting_approval' }))).toBeUndefined();
  });

  it('is what the record says', () => {
    expect(outcomeOfRun(run({ status: 'failed', failure }))).toEqual({ type: 'failed', failure });
    expect(outcomeOfRun(run({ status: 'cancelled', cancelReason: 'clear' }))).toEqual({
      type: 'cancelled',
      reason: 'clear',
    });
  });
});
