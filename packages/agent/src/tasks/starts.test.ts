import { expect, it } from 'vitest';
import { Starts } from './starts.js';

it('T-3 who stops a task that is being started waits until it has been, or could not be', async () => {
  const starts = new Starts();
  const seen: string[] = [];
  let begin = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const started = starts.during('tsk_1', async () => {
    await gate;
    seen.push('started');
  });
  const stopped = starts.over('tsk_1').then(() => seen.push('stopped'));
  await starts.over('tsk_2');
  expect(seen).toEqual([]);
  begin();
  await Promise.all([started, stopped]);
  expect(seen).toEqual(['started', 'stopped']);
  const failing = starts.during('tsk_3', () => Promise.reject(new Error('no')));
  await starts.over('tsk_3');
  await expect(failing).rejects.toThrow('no');
});
