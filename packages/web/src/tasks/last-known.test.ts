import type { TaskRow } from '@stoa/client';
import { expect, it } from 'vitest';
import { lastKnown } from './last-known.js';
import { toneOf } from './task-tone.js';

const row = { taskId: 'tsk_1', status: 'running (3 events)', elapsedMs: 5 } as TaskRow;

it('W-7 while the daemon is away nothing counts on, and what had ended has ended', () => {
  const shown = lastKnown(row, {});
  expect(shown).toEqual({
    ...row,
    status: 'unknown; last known: running (3 events)',
    elapsedMs: undefined,
  });
  expect(toneOf(shown.status)).toBe('text-warn');
  expect(lastKnown(row, { endedAt: 1 })).toBe(row);
});
