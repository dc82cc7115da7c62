import { type Candidate, type CandidateGroup, memberTag } from '@stoa/protocol';
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
const ID_CHARS = 400;
const TAG_CHARS = 600;
/** For members that share a tag with a member of another group. */
const CLASH_CHARS = 200;

/**
 * The candidates as a decision records them. Those with the turn are described, then the others in order
 * as far as there is room; the rest are grouped. Members of a group are listed by id as far as there is room, and the
 * others by a short tag. The largest group holds everybody who is in no other group.
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

interface Group extends Pick<CandidateGroup, 'verdict' | 'reason'> {
  readonly members: string[];
  memberIds: string[];
  memberTags: string[];
}

function groupsOf(rest: readonly Judged[]): CandidateGroup[] {
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
    group.members.push(candidate.standing.memberId);
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
 * Lets each member be found in its group: by its id, by its tag, or, in the largest group, because it is in no other.
 * Of two members of different groups with the same tag one is listed by id; without room for that the tag is left out.
 */
function nameMembers([largest, ...smaller]: readonly Group[]): void {
  const ids = roomFor(ID_CHARS);
  const clashes = roomFor(CLASH_CHARS);
  const tags = roomFor(TAG_CHARS);
  const owners = new Map<string, Group | 'nobody'>();
  const disown = (tag: string): void => {
    const owner = owners.get(tag);
    if (owner !== undefined && owner !== 'nobody') {
      owner.memberTags = owner.memberTags.filter((other) => other !== tag);
    }
    owners.set(tag, 'nobody');
  };
  // The smallest first, so that as many groups as possible are listed whole.
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
      else disown(tag);
    }
  }
  for (const memberId of largest?.members ?? []) {
    const tag = memberTag(memberId);
    const owner = owners.get(tag);
    if (owner === undefined || owner === 'nobody') continue;
    if (clashes(memberId.length + QUOTES_CHARS)) largest?.memberIds.push(memberId);
    else disown(tag);
  }
}

/** Quotes and a comma. */
const QUOTES_CHARS = 3;

/** Takes characters from a budget; says whether there were enough. */
function roomFor(chars: number): (wanted: number) => boolean {
  let left = chars;
  return (wanted) => {
    left -= wanted;
    return left >= 0;
  };
}
