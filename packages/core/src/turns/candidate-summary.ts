import { type Candidate, type CandidateGroup, memberTag } from '@stoa/protocol';
import { type Ranked, scoreOf } from './rank.js';

/** A candidate and the decision about it. */
export interface JudgedCandidate {
  readonly candidate: Ranked;
  readonly verdict: Candidate['verdict'];
  readonly reason: Candidate['reason'];
}

export interface CandidateSummary {
  /** The most important candidates, in the order of their rank. */
  readonly candidates: readonly Candidate[];
  /** The others, grouped by verdict and reason; the largest group first. */
  readonly others: readonly CandidateGroup[];
}

/** The most characters that the candidates of one decision take in the log. */
const DETAIL_CHARS = 1_000;
const ID_CHARS = 400;
const TAG_CHARS = 600;
/** For the ids of members that share a tag with a member of another group. */
const CLASH_CHARS = 200;

/**
 * The candidates as a decision records them: first those with the turn in detail, then others in the order of their
 * rank while there is room, then groups. A group lists its members by id while there is room, then by a short tag.
 * Members of the largest group need not be listed: they are in no other group.
 */
export function summarizeCandidates(judged: readonly JudgedCandidate[]): CandidateSummary {
  const isFirst = ({ verdict }: JudgedCandidate): boolean =>
    verdict === 'granted' || verdict === 'speaking';
  const described = new Set(judged.filter(isFirst));
  const details = new Map<JudgedCandidate, Candidate>();
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

function detailOf({ candidate, verdict, reason }: JudgedCandidate): Candidate {
  const { memberId, sessionId } = candidate.member;
  return { memberId, sessionId, verdict, reason, score: scoreOf(candidate) };
}

interface Group extends Pick<CandidateGroup, 'verdict' | 'reason'> {
  readonly members: string[];
  memberIds: string[];
  memberTags: string[];
}

function groupsOf(rest: readonly JudgedCandidate[]): CandidateGroup[] {
  const groups = new Map<string, Group>();
  for (const { candidate, verdict, reason } of rest) {
    const key = `${verdict} ${reason}`;
    const group = groups.get(key) ?? {
      verdict,
      reason,
      members: [],
      memberIds: [],
      memberTags: [],
    };
    group.members.push(candidate.member.memberId);
    groups.set(key, group);
  }
  const sorted = [...groups.values()].sort((a, b) => b.members.length - a.members.length);
  nameMembers(sorted);
  return sorted.map(({ verdict, reason, members, memberIds, memberTags }) => ({
    verdict,
    reason,
    count: members.length,
    memberIds,
    ...(memberTags.length === 0 ? {} : { memberTags: memberTags.join('') }),
  }));
}

/**
 * Lists the members of all groups but the largest by id or tag. If members of two groups share a tag, one of them is
 * listed by id; without room for that the tag is left out.
 */
function nameMembers([largest, ...smaller]: readonly Group[]): void {
  const ids = roomFor(ID_CHARS);
  const clashes = roomFor(CLASH_CHARS);
  const tags = roomFor(TAG_CHARS);
  const owners = new Map<string, Group | 'nobody'>();
  const dropTag = (tag: string): void => {
    const owner = owners.get(tag);
    if (owner !== undefined && owner !== 'nobody') {
      owner.memberTags = owner.memberTags.filter((other) => other !== tag);
    }
    owners.set(tag, 'nobody');
  };
  // Smallest first, so that as many groups as possible are listed in full.
  for (const group of smaller.toReversed()) {
    for (const memberId of group.members) {
      const tag = memberTag(memberId);
      const owner = owners.get(tag) ?? group;
      if (ids(memberId.length + QUOTES_CHARS)) group.memberIds.push(memberId);
      else if (owner === group) {
        if (!tags(tag.length)) continue;
        owners.set(tag, group);
        group.memberTags.push(tag);
      } else if (clashes(memberId.length + QUOTES_CHARS)) group.memberIds.push(memberId);
      else dropTag(tag);
    }
  }
  for (const memberId of largest?.members ?? []) {
    const tag = memberTag(memberId);
    const owner = owners.get(tag);
    if (owner === undefined || owner === 'nobody') continue;
    if (clashes(memberId.length + QUOTES_CHARS)) largest?.memberIds.push(memberId);
    else dropTag(tag);
  }
}

/** Quotes and a comma. */
const QUOTES_CHARS = 3;

/** Takes characters from a budget; returns whether there were enough. */
function roomFor(chars: number): (wanted: number) => boolean {
  let left = chars;
  return (wanted) => {
    left -= wanted;
    return left >= 0;
  };
}
