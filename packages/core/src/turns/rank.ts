import type { CandidateReason, ScorePart, Turn } from '@stoa/protocol';
import type { Standing } from './thread-state.js';

/** Its place in a list; who is not in it comes after all who are. */
const place = (sessionIds: readonly string[], sessionId: string): number => {
  const index = sessionIds.indexOf(sessionId);
  return index === -1 ? sessionIds.length : index;
};

interface Part {
  readonly by: string;
  readonly value: (standing: Standing, turn: Turn) => number;
  /** What speaks for a candidate whose value is below `none`. */
  readonly reason?: CandidateReason;
  readonly none?: (turn: Turn) => number;
}

const flag = (holds: boolean): number => (holds ? 0 : 1);

/**
 * What the order is made by, first to last; of two candidates the one with the lower value of the
 * first part in which they differ goes first. Ids are last, so that the order is total.
 */
const PARTS: readonly Part[] = [
  {
    by: 'called',
    value: ({ sessionId }, turn) => place(turn.called, sessionId),
    reason: 'called',
    none: ({ called }) => called.length,
  },
  {
    by: 'addressed',
    value: ({ sessionId }, turn) => place(turn.selected, sessionId),
    reason: 'addressed',
    none: ({ selected }) => selected.length,
  },
  {
    by: 'lastInThread',
    value: ({ isLastInThread }) => flag(isLastInThread),
    reason: 'last_in_thread',
    none: () => 1,
  },
  { by: 'expertise', value: (s) => 0 - s.expertise, reason: 'expertise', none: () => 0 },
  {
    by: 'lastInChannel',
    value: ({ isLastInChannel }) => flag(isLastInChannel),
    reason: 'last_in_channel',
    none: () => 1,
  },
  { by: 'served', value: ({ sessionId }, turn) => flag(!turn.served.includes(sessionId)) },
  { by: 'reacted', value: ({ reactedSinceOrigin }) => flag(!reactedSinceOrigin) },
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
  const nothing = PARTS.map(({ none }) => none?.(turn) ?? Number.NEGATIVE_INFINITY);
  return standings.map((standing) => ranked(standing, turn, nothing)).sort(compare);
}

/** What the place of a candidate was made by, to be read; only those that are told of need it. */
export const scoreOf = ({ values }: Ranked): ScorePart[] =>
  PARTS.map(({ by }, i) => ({ by, value: values[i] as number }));

function ranked(standing: Standing, turn: Turn, nothing: readonly number[]): Ranked {
  const values = new Array<number>(PARTS.length);
  let reason: CandidateReason | undefined;
  for (let i = 0; i < PARTS.length; i++) {
    const part = PARTS[i] as Part;
    const value = part.value(standing, turn);
    values[i] = value;
    if (reason === undefined && value < (nothing[i] as number)) reason = part.reason;
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
