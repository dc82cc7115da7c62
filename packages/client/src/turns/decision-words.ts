import type { Candidate, CandidateGroup, ScorePart, StampedDecision } from '@stoa/protocol';
import { memberTag, tagsIn } from '@stoa/protocol/constants';
import { BECAUSE } from './because.js';
import { leaseOutcomeWords, turnOutcomeWords } from './outcome-words.js';
import { requestWords } from './request-words.js';

/** What the description of a decision needs besides the decision. */
export interface DecisionReader {
  /** The current names of members; one that has left keeps its id. */
  readonly names: ReadonlyMap<string, string>;
  /** The holder of each lease, see `leaseHolders`. */
  readonly holders: ReadonlyMap<string, string>;
  /** Formats a time. */
  readonly timeOf: (at: number) => string;
  /** Without the ids of messages, runs and leases, if the reader sees them elsewhere. */
  readonly isBrief?: boolean;
}

export interface CandidateWords {
  readonly memberId: string;
  readonly name: string;
  readonly verdict: Candidate['verdict'];
  /** Follows the name: "was addressed", "is muted". */
  readonly because: string;
  /** What put it after the previous one; undefined for the first. */
  readonly behindBy: string | undefined;
}

/** One decision as text: its cause, the candidates in order, and the result. */
export interface DecisionWords {
  readonly trigger: string;
  readonly candidates: readonly CandidateWords[];
  /** Candidates without their own line, in groups. */
  readonly others: readonly string[];
  /** Why there are no candidates, if that needs an explanation. */
  readonly nobody: string | undefined;
  readonly consequences: readonly string[];
}

export function decisionWords(decision: StampedDecision, reader: DecisionReader): DecisionWords {
  const { candidates, trigger } = decision;
  // Cancelling a turn compares nobody.
  const isNobodyHere = candidates.length === 0 && trigger.type !== 'cancelled';
  return {
    trigger: triggerWords(decision, reader),
    candidates: candidates.map((candidate, index) => {
      const above = candidates[index - 1];
      return {
        memberId: candidate.memberId,
        name: nameOf(candidate.memberId, reader),
        verdict: candidate.verdict,
        because: BECAUSE[candidate.reason],
        behindBy: above ? lagWords(above.score, candidate.score) : undefined,
      };
    }),
    others: (decision.others ?? []).map((group) => groupWords(group, reader)),
    nobody: isNobodyHere ? 'no session is a member of this channel' : undefined,
    consequences: consequences(decision, reader),
  };
}

/** The holders of all leases in these decisions. */
export function leaseHolders(decisions: readonly StampedDecision[]): ReadonlyMap<string, string> {
  return new Map(
    decisions.flatMap(({ granted }) =>
      granted.map(({ leaseId, memberId }) => [leaseId, memberId] as const),
    ),
  );
}

function triggerWords({ trigger, turn, ended }: StampedDecision, reader: DecisionReader): string {
  switch (trigger.type) {
    case 'message':
      if (reader.isBrief === true)
        return `a ${turn.stimulus ? 'stimulus' : 'message'} opened a turn`;
      return `${trigger.messageId ?? turn.originMessageId} opened a turn`;
    case 'run_ended': {
      const [first] = ended;
      const who = first ? enderOf(first, reader) : 'a run';
      return `the run of ${who} ended`;
    }
    case 'answered':
      return 'a question of a run was answered';
    case 'time':
      return 'a scheduled check was due';
    case 'resumed':
      return 'the channel was resumed';
    case 'cancelled':
      return 'somebody cancelled the turn';
  }
}

/** In the order compared. */
const PARTS = [
  'called',
  'addressed',
  'lastInThread',
  'expertise',
  'lastInChannel',
  'served',
  'reacted',
  'lastSpoke',
  'liveRuns',
] as const;

/** The first part in which two scores differ decides their order; an absent part counts as 0. */
export function lagWords(above: readonly ScorePart[], below: readonly ScorePart[]): string {
  const valueOf = (score: readonly ScorePart[], wanted: string): number =>
    score.find(({ by }) => by === wanted)?.value ?? 0;
  const part = PARTS.find((by) => valueOf(above, by) !== valueOf(below, by));
  if (part === undefined) return 'its id';
  return part.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** "12 queued: is a member", with names if there are few. */
function groupWords({ verdict, reason, count, memberIds }: CandidateGroup, reader: DecisionReader) {
  const names = memberIds.map((memberId) => nameOf(memberId, reader)).join(', ');
  const more = count - memberIds.length;
  const who = names === '' ? '' : ` (${names}${more > 0 ? ` and ${String(more)} more` : ''})`;
  return `${String(count)} ${verdict}: ${BECAUSE[reason]}${who}`;
}

/**
 * The decision about one member: from its own entry, or from the group that has its id or its tag. If several groups
 * do not list all members, these groups; empty for a member that was not compared.
 */
export function verdictsOn(
  { candidates, others = [] }: Pick<StampedDecision, 'candidates' | 'others'>,
  memberId: string,
): readonly Pick<Candidate, 'verdict' | 'reason'>[] {
  const own = candidates.find((candidate) => candidate.memberId === memberId);
  if (own) return [own];
  const tag = memberTag(memberId);
  const named =
    others.find(({ memberIds }) => memberIds.includes(memberId)) ??
    others.find(({ memberTags }) => tagsIn(memberTags).includes(tag));
  return named ? [named] : others.filter(isOpen);
}

/** Whether a group has members whose id and tag it does not list. */
const isOpen = ({ count, memberIds, memberTags }: CandidateGroup): boolean =>
  memberIds.length + tagsIn(memberTags).length < count;

/** The same as text after a name. */
export function verdictWords(decision: StampedDecision, memberId: string): string {
  const verdicts = verdictsOn(decision, memberId);
  if (verdicts.length === 0) return 'was not compared';
  return verdicts.map(({ verdict, reason }) => `${verdict}: ${BECAUSE[reason]}`).join(', or ');
}

function consequences(
  { turn, granted, renewed, ended }: StampedDecision,
  reader: DecisionReader,
): string[] {
  const { replies, startedRuns, tokens } = turn;
  const spent = `${count(replies, 'reply', 'replies')}, ${count(startedRuns, 'run', 'runs')}, ${count(tokens, 'token', 'tokens')}`;
  return [
    ...ended.map((end) => `${enderOf(end, reader)} ${leaseOutcomeWords(end)}`),
    ...granted.map((grant) => {
      const { memberId, runId } = grant;
      const run = reader.isBrief === true ? '' : ` (${runId})`;
      return `${nameOf(memberId, reader)} has the turn${run}${askedBy(grant, reader)}`;
    }),
    ...renewed.map(
      ({ leaseId }) => `${holderOf(leaseId, reader)} keeps the turn: nobody is waiting`,
    ),
    ...(turn.outcome === undefined
      ? []
      : [`the turn is closed: ${turnOutcomeWords(turn.outcome)} (${spent})`]),
    ...(turn.outcome === undefined && turn.wakeAt !== undefined
      ? [`next check at ${reader.timeOf(turn.wakeAt)}, or earlier if something happens`]
      : []),
  ];
}

/** The brief form names the requester only if it limits the run. */
function askedBy(grant: StampedDecision['granted'][number], { isBrief }: DecisionReader): string {
  const asked = requestWords(grant);
  if (asked === undefined || (isBrief === true && grant.ceiling === undefined)) return '';
  return `, asked by ${asked}`;
}

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

function nameOf(memberId: string, { names }: DecisionReader): string {
  return names.get(memberId) ?? memberId;
}

/** Older records do not name the member whose turn ended. */
function enderOf(
  { leaseId, memberId }: StampedDecision['ended'][number],
  reader: DecisionReader,
): string {
  return memberId === undefined ? holderOf(leaseId, reader) : nameOf(memberId, reader);
}

function holderOf(leaseId: string, reader: DecisionReader): string {
  const memberId = reader.holders.get(leaseId);
  if (memberId !== undefined) return nameOf(memberId, reader);
  return reader.isBrief === true ? 'an agent' : leaseId;
}
