import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost, isContention, isOutdatedPlan, isUniqueViolation } from './failure.js';

/** A unique violation that stays is no race but what the transaction does; a lock wait may be worse. */
const MOST_TRIES = { uniqueViolation: 3, lostConnection: 3, contention: 8 } as const;

const SHORTEST_PAUSE_MS = 4;

export function mayTryAgain(error: unknown, tries: number): boolean {
  if (isUniqueViolation(error)) return tries < MOST_TRIES.uniqueViolation;
  if (isContention(error)) return tries < MOST_TRIES.contention;
  if (error instanceof ConnectionLost && error.phase === 'before_commit') {
    return tries < MOST_TRIES.lostConnection;
  }
  return false;
}

/** Doubles with every try, and half of it is chance, so that rivals do not meet again. */
async function pause(tries: number): Promise<void> {
  const longest = SHORTEST_PAUSE_MS * 2 ** tries;
  await sleep(longest * (0.5 + Math.random() / 2));
}

/**
 * After a migration each of the connections may hold an outdated plan and is replaced when that is
 * found out: that is no failure of the attempt and does not count as a try.
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
