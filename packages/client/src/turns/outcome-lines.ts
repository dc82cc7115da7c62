import type { StampedDecision } from '@stoa/protocol';
import { leaseOutcomeWords } from './outcome-words.js';

/**
 * How those ended who had the newest turn of a thread and whose end is not seen there: a message and a
 * reaction are, a failure is not. Members that passed are listed only if nobody answered.
 */
export function outcomeLines(
  newestFirst: readonly StampedDecision[],
  names: ReadonlyMap<string, string>,
): readonly string[] {
  const [newest] = newestFirst;
  if (!newest) return [];
  const { turnId, replies } = newest.turn;
  return newestFirst
    .filter(({ turn }) => turn.turnId === turnId)
    .flatMap(({ ended }) => ended)
    .reverse()
    .flatMap((end) => {
      const { outcome, reason, memberId } = end;
      if (outcome === 'reacted' || (outcome === 'spoke' && reason === undefined)) return [];
      if (outcome === 'abstained' && replies > 0) return [];
      const name = memberId === undefined ? 'An agent' : (names.get(memberId) ?? memberId);
      return [`${name} ${leaseOutcomeWords(end)}`];
    });
}
