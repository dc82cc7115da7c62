import type { Tick } from '@stoa/core';
import type { Logger } from 'pino';

/** Runs the regular work of all modules, each at its own interval. Returns a function that stops it. */
export function startTicking(ticks: readonly Tick[], log: Logger): () => Promise<void> {
  const ends = ticks.map(({ everyMs, run }) => every(everyMs, run, log));
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}

/** Never runs twice at once. Failed work is retried at the next interval; repeated failures are logged once. */
function every(ms: number, work: () => Promise<unknown>, log: Logger): () => Promise<void> {
  let running: Promise<void> | undefined;
  let logged: string | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .then(() => {
        logged = undefined;
      })
      .catch((error: unknown) => {
        const words = String(error);
        if (words !== logged) log.error({ err: error }, 'regular upkeep failed and is tried again');
        logged = words;
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
