import type { Core } from '@stoa/core';
import type { Logger } from 'pino';
import type { TaskUpkeep } from '../runtime/task-upkeep.js';

/**
 * Sweeps at an interval, one sweep at a time; a failed one is logged and retried at the next interval. Stopping waits
 * for the current transaction of a sweep, not for the rest of it.
 */
export function startSweeping(
  sweeper: Core['sweeper'],
  upkeep: Pick<TaskUpkeep, 'sweep'>,
  everyMs: number,
  log: Logger,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const sweep = async (): Promise<void> => {
    try {
      const report = await sweeper.sweep(() => !stopped);
      if (Object.values(report).some((count) => count > 0)) log.info(report, 'swept');
      const removed = await upkeep.sweep(() => !stopped);
      if (removed.files > 0) log.info(removed, 'removed files of background tasks that are over');
    } catch (error) {
      if (!stopped) log.error({ err: error }, 'a sweep failed');
    }
    plan();
  };
  const plan = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = sweep();
    }, everyMs);
    timer.unref();
  };
  plan();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
