import type { CandidateReason, ScorePart, Turn } from '@stoa/protocol';
import type { Standing } from './thread-state.js';

const NOT = Number.MAX_SAFE_INTEGER;

const place = (sessionIds: readonly string[], sessionId: string): number => {
  const index = sessionIds.indexOf(sessionId);
  return index === -1 ? NOT : index;
};

/**
 * What the order is made by, first to last; of two candidates the one with the lower value of the
 * first part in which they differ goes first. Ids are last, so that the order is total.
 */
const PARTS: readonly {
  readonly by: string;
  readonly reason?: CandidateReason;
  readonly value: (standing: Standing, turn: Turn) => number;
}[] = [
  { by: 'called', reason: 'called', value: ({ sessionId }, turn) => place(turn.called, sessionId) },
  {
    by: 'addressed',
    reason: 'addressed',
    value: ({ sessionId }, turn) => place(turn.selected, sessionId),
  },
  { by: 'lastInThread', reason: 'last_in_thread', value: (s) => (s.isLastInThread ? 0 : NOT) },
  { by: 'expertise', reason: 'expertise', value: (s) => (s.expertise > 0 ? -s.expertise : NOT) },
  { by: 'lastInChannel', reason: 'last_in_channel', value: (s) => (s.isLastInChannel ? 0 : NOT) },
  { by: 'served', value: ({ sessionId }, turn) => (turn.served.includes(sessionId) ? 1 : 0) },
  { by: 'reacted', value: (s) => (s.reactedSinceOrigin ? 1 : 0) },
  { by: 'lastSpoke', value: (s) => (s.spokeAt === undefined ? NOT : -s.spokeAt) },
  { by: 'liveRuns', value: (s) => s.liveRuns },
];

export interface Ranked {
  readonly standing: Standing;
  readonly score: readonly ScorePart[];
  /** The first thing that speaks for it. */
  readonly reason: CandidateReason;
}

/** The order in which they would speak, with what it was made by. */
export function rank(turn: Turn, standings: readonly Standing[]): Ranked[] {
  return standings.map((standing) => scored(standing, turn)).sort(compare);
}

function scored(standing: Standing, turn: Turn): Ranked {
  let reason: CandidateReason | undefined;
  const score = PARTS.map((part): ScorePart => {
    const value = part.value(standing, turn);
    if (reason === undefined && part.reason !== undefined && value !== NOT) reason = part.reason;
    return { by: part.by, value };
  });
  return { standing, score, reason: reason ?? 'member' };
}

function compare(a: Ranked, b: Ranked): number {
  for (let i = 0; i < PARTS.length; i++) {
    const difference = (a.score[i] as ScorePart).value - (b.score[i] as ScorePart).value;
    if (difference !== 0) return difference;
  }
  return a.standing.memberId < b.standing.memberId ? -1 : 1;
}
