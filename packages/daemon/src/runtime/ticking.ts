import type { Core } from '@stoa/core';
import type { Logger } from 'pino';

const BEAT_MS = 5_000;
const TICK_MS = 5_000;
const SCHEDULE_MS = 500;

/** What has to happen as time passes, whoever calls or not. Returns what ends it. */
export function startTicking(core: Core, log: Logger): () => Promise<void> {
  const ends = [
    // Never behind upkeep: a daemon that is late with this is taken for gone, and its runs with it.
    every(BEAT_MS, () => core.ownership.beat(), log),
    every(TICK_MS, () => core.runner.tick(), log),
    every(TICK_MS, () => core.tasks.tick(), log),
    every(TICK_MS, () => core.turnClock.look(), log),
    every(TICK_MS, () => core.stimulusClock.look(), log),
    every(SCHEDULE_MS, () => core.schedules.fireDue(), log),
  ];
  return async () => {
    core.turnClock.stop();
    core.stimulusClock.stop();
    await Promise.all([...ends.map((end) => end()), core.stimulusClock.settled()]);
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
