import type { LeaseOutcome, TurnOutcome } from '@stoa/protocol';

const LEASES: Readonly<Record<LeaseOutcome, string>> = {
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

const TURNS: Readonly<Record<TurnOutcome, string>> = {
  answered: 'answered',
  silent: 'nobody had anything to say',
  reply_budget: 'as many replies as allowed',
  run_budget: 'as many runs as allowed',
  token_budget: 'as many tokens as allowed',
  cancelled: 'cancelled',
};

/** What somebody made of the turn it had; to be read behind its name. */
export function leaseOutcomeWords(outcome: LeaseOutcome, reason?: string): string {
  return `${LEASES[outcome]}${reason === undefined ? '' : ` (${reason})`}`;
}

/** Why nothing more follows in a turn. */
export const turnOutcomeWords = (outcome: TurnOutcome): string => TURNS[outcome];
