import { LIMITS, StoaError } from '@stoa/protocol';
import { findFamily, type Tx } from '@stoa/store';

/**
 * Sessions make sessions by themselves. So those that come of one that a person made are few enough to
 * leave room for everybody else's, and not so deep that nobody can follow.
 */
export function* assertRoomBelow(parentSessionId: string): Tx<void> {
  const { depth, count } = (yield* findFamily.first({ sessionId: parentSessionId })) ?? {
    depth: 0,
    count: 0,
  };
  if (depth >= LIMITS.subSessionDepth) {
    const limit = String(LIMITS.subSessionDepth);
    throw new StoaError('limit_reached', `Sub-sessions are at most ${limit} deep`);
  }
  if (count < LIMITS.subSessions) return;
  const limit = String(LIMITS.subSessions);
  throw new StoaError('limit_reached', `At most ${limit} sub-sessions come of one session`);
}
