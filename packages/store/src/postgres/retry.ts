import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost, isContention, isOutdatedPlan, isUniqueViolation } from './failure.js';

/**
 * A repeated unique violation is caused by the transaction itself, not by a race. A repeated lost connection may
 * become worse by waiting.
 */
const MAX_TRIES = { uniqueViolation: 3, lostConnection: 3, contention: 8 } as const;

const SHORTEST_PAUSE_MS = 4;

export function mayTryAgain(error: unknown, tries: number): boolean {
  if (isUniqueViolation(error)) return tries < MAX_TRIES.uniqueViolation;
  if (isContention(error)) return tries < MAX_TRIES.contention;
  if (error instanceof ConnectionLost && error.phase === 'before_commit') {
    return tries < MAX_TRIES.lostConnection;
  }
  return false;
}

/** Doubles with every try, half of it random, so that rivals do not collide again. */
async function pause(tries: number): Promise<void> {
  const longest = SHORTEST_PAUSE_MS * 2 ** tries;
  await sleep(longest * (0.5 + Math.random() / 2));
}

/**
 * After a migration every connection may hold an outdated plan and is replaced when it is used. That is not a failure
 * of the attempt and does not count as a try.
 */
export async function withRetries<T>(attempt: () => Promise<T>, connections: number): Promise<T> {
  let outdated = 0;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (
        error instanceof ConnectionLost &&
        isOutdatedPlan(error.cause) &&
        outdated <= connections
      ) {
        outdated += 1;
        tries -= 1;
        continue;
      }
      if (!mayTryAgain(error, tries)) throw error;
    }
    await pause(tries);
  }
}
