import type { CandidateReason, ScorePart, Turn } from '@stoa/protocol';
import type { Standing } from './thread-state.js';

/** Its position in a list, counted from the end; a session that is not in the list comes last. */
const place = (sessionIds: readonly string[], sessionId: string): number => {
  const index = sessionIds.indexOf(sessionId);
  return index === -1 ? 0 : index - sessionIds.length;
};

interface Part {
  readonly by: string;
  /** Below 0 for what speaks for a candidate, above 0 for what speaks against it. */
  readonly value: (standing: Standing, turn: Turn) => number;
  /** What a value below 0 is called. */
  readonly reason?: CandidateReason;
}

/**
 * What the order is made by, first to last; of two candidates the one with the lower value of the
 * first part in which they differ goes first. Ids are last, so that the order is total.
 */
const PARTS: readonly Part[] = [
  { by: 'called', value: ({ sessionId }, turn) => place(turn.called, sessionId), reason: 'called' },
  {
    by: 'addressed',
    value: ({ sessionId }, turn) => place(turn.selected, sessionId),
    reason: 'addressed',
  },
  {
    by: 'lastInThread',
    value: ({ isLastInThread }) => (isLastInThread ? -1 : 0),
    reason: 'last_in_thread',
  },
  { by: 'expertise', value: (s) => 0 - s.expertise, reason: 'expertise' },
  {
    by: 'lastInChannel',
    value: ({ isLastInChannel }) => (isLastInChannel ? -1 : 0),
    reason: 'last_in_channel',
  },
  { by: 'served', value: ({ sessionId }, turn) => (turn.served.includes(sessionId) ? 1 : 0) },
  { by: 'reacted', value: ({ reactedSinceOrigin }) => (reactedSinceOrigin ? 1 : 0) },
  { by: 'lastSpoke', value: ({ spokeAt = 0 }) => 0 - spokeAt },
  { by: 'liveRuns', value: ({ liveRuns }) => liveRuns },
];

export interface Ranked {
  readonly standing: Standing;
  /** One for each part. */
  readonly values: readonly number[];
  /** The first thing that speaks for it. */
  readonly reason: CandidateReason;
}

/** The order in which they would speak. */
export function rank(turn: Turn, standings: readonly Standing[]): Ranked[] {
  return standings.map((standing) => ranked(standing, turn)).sort(compare);
}

/** What speaks for a candidate and against it, to be read; what does neither is left out. */
export const scoreOf = ({ values }: Ranked): ScorePart[] =>
  PARTS.map(({ by }, i) => ({ by, value: values[i] as number })).filter(({ value }) => value !== 0);

function ranked(standing: Standing, turn: Turn): Ranked {
  const values = new Array<number>(PARTS.length);
  let reason: CandidateReason | undefined;
  for (let i = 0; i < PARTS.length; i++) {
    const part = PARTS[i] as Part;
    const value = part.value(standing, turn);
    values[i] = value;
    if (reason === undefined && value < 0) reason = part.reason;
  }
  return { standing, values, reason: reason ?? 'member' };
}

function compare(a: Ranked, b: Ranked): number {
  for (let i = 0; i < PARTS.length; i++) {
    const difference = (a.values[i] as number) - (b.values[i] as number);
    if (difference !== 0) return difference;
  }
  return a.standing.memberId < b.standing.memberId ? -1 : 1;
}
