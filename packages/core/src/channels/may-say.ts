import { LIMITS, type Principal, StoaError } from '@stoa/protocol';
import { countSaidSince, findSpeaking, type Tx } from '@stoa/store';
import type { JoinedChannel } from './channel-gate.js';

const HOUR_MS = 3_600_000;
/** Where more is said in an hour, this many messages are its hour. */
const AMONG = 1_000;

/**
 * What a session says outside a turn costs no budget, so it is bounded here. In the channel of its turn it
 * speaks by that alone, or the budget and the lease would mean nothing; decided in the commit, for whichever
 * daemon is asked.
 */
export function* assertMaySay(
  { topicId, channelId }: JoinedChannel,
  by: Principal,
  at: number,
): Tx<void> {
  if (by.kind !== 'session') return;
  const { id: sessionId } = by;
  if (yield* findSpeaking.first({ topicId, sessionId })) {
    throw new StoaError(
      'turn_in_progress',
      'This session has the turn in that channel: its answer is published there when its run ends',
    );
  }
  const authorId = `session:${sessionId}`;
  const said = { topicId, authorId, since: at - HOUR_MS, among: AMONG };
  const count = (yield* countSaidSince.first(said))?.count ?? 0;
  if (count < LIMITS.messagesOfSessionPerHour) return;
  throw new StoaError(
    'too_many_messages',
    `${sessionId} said ${String(count)} messages in ${channelId} within an hour`,
  );
}
