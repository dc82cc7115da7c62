import type {
  CandidateReason,
  LeaseOutcome,
  ScorePart,
  TurnDecision,
  TurnOutcome,
} from '@stoa/protocol';

/** How those are called who take part, and whose lease is whose. */
export interface Who {
  readonly nameOf: (memberId: string) => string;
  readonly holderOf: (leaseId: string) => string;
}

const REASONS: Readonly<Record<CandidateReason, string>> = {
  addressed: 'was addressed',
  called: 'was called by the last reply',
  last_in_thread: 'spoke last in this thread',
  expertise: 'knows what this is about',
  last_in_channel: 'spoke last in this channel',
  member: 'is a member',
  speaking: 'is speaking already',
  muted: 'is muted',
  manual_only: 'never speaks by itself',
  others_selected: 'was not meant: others were addressed',
  served: 'had its turn',
  cooling_down: 'spoke here a moment ago',
  session_ended: 'has ended its session',
  inbox_full: 'has too much waiting',
  sender: 'said it itself',
};

const OUTCOMES: Readonly<Record<LeaseOutcome, string>> = {
  spoke: 'spoke',
  reacted: 'reacted',
  abstained: 'had nothing to say',
  failed: 'failed',
  interrupted: 'was interrupted',
  cancelled: 'was cancelled',
  budget: 'was stopped: the budget was used up',
  timeout: 'was silent for too long',
  superseded: 'was replaced by one who waited',
  unclaimed: 'did not begin in time',
};

const CLOSED: Readonly<Record<TurnOutcome, string>> = {
  answered: 'answered',
  silent: 'nobody had anything to say',
  reply_budget: 'as many replies as allowed',
  run_budget: 'as many runs as allowed',
  token_budget: 'as many tokens as allowed',
  cancelled: 'cancelled',
};

export const reasonText = (reason: CandidateReason): string => REASONS[reason];
export const outcomeText = (outcome: LeaseOutcome): string => OUTCOMES[outcome];
export const closedText = (outcome: TurnOutcome): string => CLOSED[outcome];

/** What led to a decision. */
export function triggerText({ trigger, ended, turn }: TurnDecision, who: Who): string {
  switch (trigger.type) {
    case 'message':
      return turn.stimulus ? 'A stimulus opened the turn' : 'The message opened the turn';
    case 'run_ended': {
      const [first] = ended;
      return first ? `The run of ${who.holderOf(first.leaseId)} ended` : 'A run ended';
    }
    case 'answered':
      return 'People answered what a run had asked';
    case 'time':
      return 'It was time to look again';
    case 'resumed':
      return 'The channel was resumed';
    case 'cancelled':
      return 'Somebody cancelled';
  }
}

/** What followed from it, a sentence each. */
export function consequences(decision: TurnDecision, who: Who): string[] {
  const { candidates, granted, renewed, ended, turn } = decision;
  const why = (memberId: string): string => {
    const candidate = candidates.find((each) => each.memberId === memberId);
    return candidate ? `: it ${REASONS[candidate.reason]}` : '';
  };
  return [
    ...ended.map(({ leaseId, outcome, reason }) => {
      const because = reason === undefined ? '' : ` (${reason.replaceAll('_', ' ')})`;
      return `${who.holderOf(leaseId)} ${OUTCOMES[outcome]}${because}.`;
    }),
    ...granted.map(({ memberId }) => `${who.nameOf(memberId)} has the turn${why(memberId)}.`),
    ...renewed.map(({ leaseId }) => `${who.holderOf(leaseId)} keeps the turn: nobody waits.`),
    ...(candidates.length === 0 && decision.trigger.type !== 'cancelled'
      ? ['No agent is a member here.']
      : []),
    ...(turn.outcome === undefined ? [] : [`The turn is closed: ${CLOSED[turn.outcome]}.`]),
  ];
}

/** What put one behind the one above it: the first part of the score in which they differ. */
export function behindBy(above: readonly ScorePart[], below: readonly ScorePart[]): string {
  const part = below.find(({ value }, i) => value !== above[i]?.value);
  return part ? part.by.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : 'its id';
}
