import { StoaProblem } from '@stoa/client';
import type { TaskOutput } from '@stoa/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followOutput, type ShownOutput } from './follow-output.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const part = (text: string, offset: number, isComplete: boolean): TaskOutput => ({
  text,
  offset,
  nextOffset: offset + text.length,
  oldestOffset: 0,
  size: offset + text.length,
  isComplete,
});

it('W-7 says that nobody answers, keeps what was read, and reads on when somebody does', async () => {
  const away = new StoaProblem('daemon_unreachable', 503, 'away');
  const answers: (TaskOutput | StoaProblem)[] = [
    part('one\n', 0, false),
    part('one\n', 0, false),
    away,
    part('two\n', 4, true),
  ];
  const output = (): Promise<TaskOutput> => {
    const answer = answers.shift();
    if (answer === undefined || answer instanceof StoaProblem)
      return Promise.reject(answer ?? away);
    return Promise.resolve(answer);
  };
  const shown: ShownOutput[] = [];
  const signal = new AbortController().signal;
  const done = followOutput({ output }, 'tsk_1', true, signal, (now) => shown.push(now));
  await vi.runAllTimersAsync();
  await done;
  expect(shown.map(({ state, text }) => [state, text])).toEqual([
    ['following', 'one\n'],
    ['away', 'one\n'],
    ['complete', 'one\ntwo\n'],
  ]);
});
