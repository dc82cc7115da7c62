import { expect, it } from 'vitest';
import { PendingStarts } from './task-commands.js';

it('T-3 stopping a task that is being started waits until it was started, or could not be', async () => {
  const starts = new PendingStarts();
  const seen: string[] = [];
  let begin = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const started = starts.track('tsk_1', async () => {
    await gate;
    seen.push('started');
  });
  const stopped = starts.finished('tsk_1').then(() => seen.push('stopped'));
  await starts.finished('tsk_2');
  expect(seen).toEqual([]);
  begin();
  await Promise.all([started, stopped]);
  expect(seen).toEqual(['started', 'stopped']);
  const failing = starts.track('tsk_3', () => Promise.reject(new Error('no')));
  await starts.finished('tsk_3');
  await expect(failing).rejects.toThrow('no');
});
