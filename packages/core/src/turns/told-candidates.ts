import type { Candidate, CandidateGroup } from '@stoa/protocol';
import { type Ranked, scoreOf } from './rank.js';

/** A candidate with what was decided about it. */
export interface Judged {
  readonly candidate: Ranked;
  readonly verdict: Candidate['verdict'];
  readonly reason: Candidate['reason'];
}

export interface ToldCandidates {
  /** Those who matter most, in the order compared. */
  readonly candidates: readonly Candidate[];
  /** The others, by what was decided about them; the largest group first. */
  readonly others: readonly CandidateGroup[];
}

/** What a decision may take of the log for its candidates, however many there are. */
const DETAIL_CHARS = 1_000;
const ID_CHARS = 600;

/**
 * The candidates as a decision records them. Those with the turn are described, then the others in order
 * as far as there is room; the rest are grouped. The largest group lists nobody: it holds everybody who
 * is not listed elsewhere.
 */
export function tellCandidates(judged: readonly Judged[]): ToldCandidates {
  const isFirst = ({ verdict }: Judged): boolean => verdict === 'granted' || verdict === 'speaking';
  const described = new Set(judged.filter(isFirst));
  const details = new Map<Judged, Candidate>();
  let room = DETAIL_CHARS;
  for (const one of [...described, ...judged]) {
    if (details.has(one)) continue;
    const detail = detailOf(one);
    room -= JSON.stringify(detail).length;
    if (room < 0 && !described.has(one)) break;
    details.set(one, detail);
  }
  return {
    candidates: judged.flatMap((one) => details.get(one) ?? []),
    others: groupsOf(judged.filter((one) => !details.has(one))),
  };
}

function detailOf({ candidate, verdict, reason }: Judged): Candidate {
  const { memberId, sessionId } = candidate.standing;
  return { memberId, sessionId, verdict, reason, score: scoreOf(candidate) };
}

function groupsOf(rest: readonly Judged[]): CandidateGroup[] {
  const groups = new Map<string, CandidateGroup & { memberIds: string[] }>();
  for (const { candidate, verdict, reason } of rest) {
    const key = `${verdict} ${reason}`;
    const group = groups.get(key) ?? { verdict, reason, count: 0, memberIds: [] };
    group.count += 1;
    group.memberIds.push(candidate.standing.memberId);
    groups.set(key, group);
  }
  const [largest, ...smaller] = [...groups.values()].sort((a, b) => b.count - a.count);
  if (!largest) return [];
  let room = ID_CHARS;
  // The smallest first, so that as many groups as possible are named whole.
  for (const group of smaller.toReversed()) {
    const named = group.memberIds.findIndex((memberId) => (room -= memberId.length + 3) < 0);
    if (named >= 0) group.memberIds.splice(named);
  }
  return [{ ...largest, memberIds: [] }, ...smaller];
}
