import type { Tick } from '@stoa/core';
import type { Logger } from 'pino';

/** Runs the regular work of all modules, each at its own interval. Returns what ends it. */
export function startTicking(ticks: readonly Tick[], log: Logger): () => Promise<void> {
  const ends = ticks.map(({ everyMs, run }) => every(everyMs, run, log));
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}

/** Never twice at once. One that fails is tried again at its next time; the first of several failures is reported. */
function every(ms: number, work: () => Promise<unknown>, log: Logger): () => Promise<void> {
  let running: Promise<void> | undefined;
  let told: string | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .then(() => {
        told = undefined;
      })
      .catch((error: unknown) => {
        const words = String(error);
        if (words !== told) log.error({ err: error }, 'regular upkeep failed and is tried again');
        told = words;
      })
      .finally(() => {
        running = undefined;
      });
  }, ms);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
