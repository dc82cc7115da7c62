import type { CandidateReason, ScorePart, Turn } from '@stoa/protocol';
import type { MemberState } from './thread-state.js';

/** The position in a list, negative so that the first is the lowest; 0 if the session is not listed. */
const position = (sessionIds: readonly string[], sessionId: string): number => {
  const index = sessionIds.indexOf(sessionId);
  return index === -1 ? 0 : index - sessionIds.length;
};

interface Part {
  readonly by: string;
  /** Below 0 moves a candidate forward, above 0 back. */
  readonly value: (member: MemberState, turn: Turn) => number;
  /** The reason that a value below 0 is reported as. */
  readonly reason?: CandidateReason;
}

/**
 * The criteria of the order, most important first: the first one in which two candidates differ decides, and the lower
 * value wins. Equal candidates are ordered by member id, so that the order is total.
 */
const PARTS: readonly Part[] = [
  {
    by: 'called',
    value: ({ sessionId }, turn) => position(turn.called, sessionId),
    reason: 'called',
  },
  {
    by: 'addressed',
    value: ({ sessionId }, turn) => position(turn.selected, sessionId),
    reason: 'addressed',
  },
  {
    by: 'lastInThread',
    value: ({ isLastInThread }) => (isLastInThread ? -1 : 0),
    reason: 'last_in_thread',
  },
  { by: 'expertise', value: ({ expertise }) => 0 - expertise, reason: 'expertise' },
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
  readonly member: MemberState;
  /** One for each part. */
  readonly values: readonly number[];
  /** The most important reason to choose it. */
  readonly reason: CandidateReason;
}

/** Members in the order in which they would speak. */
export function rank(turn: Turn, members: readonly MemberState[]): Ranked[] {
  return members.map((member) => ranked(member, turn)).sort(compare);
}

/** The parts that moved a candidate forward or back, for the record of the decision. */
export const scoreOf = ({ values }: Ranked): ScorePart[] =>
  PARTS.map(({ by }, i) => ({ by, value: values[i] as number })).filter(({ value }) => value !== 0);

function ranked(member: MemberState, turn: Turn): Ranked {
  const values = new Array<number>(PARTS.length);
  let reason: CandidateReason | undefined;
  for (let i = 0; i < PARTS.length; i++) {
    const part = PARTS[i] as Part;
    const value = part.value(member, turn);
    values[i] = value;
    if (reason === undefined && value < 0) reason = part.reason;
  }
  return { member, values, reason: reason ?? 'member' };
}

function compare(a: Ranked, b: Ranked): number {
  for (let i = 0; i < PARTS.length; i++) {
    const difference = (a.values[i] as number) - (b.values[i] as number);
    if (difference !== 0) return difference;
  }
  return a.member.memberId < b.member.memberId ? -1 : 1;
}
