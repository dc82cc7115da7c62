import type { LeaseOutcome, StampedDecision, TurnDecision, TurnOutcome } from '@stoa/protocol';

/** How a turn of a member ended. */
export type EndedTurn = Pick<
  TurnDecision['ended'][number],
  'outcome' | 'reason' | 'detail' | 'unpublishedChars'
>;

type Words = (ended: EndedTurn) => string;

const LEASES: Readonly<Record<LeaseOutcome, Words>> = {
  spoke: ({ reason }) => (reason === undefined ? 'answered' : 'answered, and failed afterwards'),
  reacted: () => 'reacted',
  abstained: ({ unpublishedChars }) =>
    unpublishedChars === undefined
      ? 'passed: had nothing to say'
      : `wrote ${characters(unpublishedChars)} and passed`,
  unpublished: ({ reason, unpublishedChars = 0 }) =>
    `wrote ${characters(unpublishedChars)} that could not be published: ${WITHHELD[reason ?? ''] ?? reason ?? 'unknown'}`,
  failed: (ended) => `failed: ${failureWords(ended)}`,
  interrupted: ({ reason }) => `was interrupted${inBrackets(reason)}`,
  cancelled: ({ reason }) => `was cancelled${inBrackets(reason)}`,
  budget: () => 'was stopped: the budget was used up',
  timeout: () => 'was stopped: it was silent for too long',
  superseded: () => 'was replaced by a waiting agent',
  unclaimed: () => 'did not start in time',
};

const WITHHELD: Readonly<Record<string, string>> = {
  not_member: 'it is no longer a member',
  channel_archived: 'the channel is archived',
  not_permitted: 'its rules require an approval to speak',
};

/** Failure codes that name something to install or to configure. */
const FAILURES: Readonly<Record<string, string>> = {
  acp_not_found: 'program not found',
  acp_auth_required: 'not logged in',
  acp_no_model: 'wrong model',
  no_model: 'no model or no key',
  unknown_model: 'wrong model',
  model_not_found: 'wrong model',
  model_unauthorized: 'key refused',
};

const TURNS: Readonly<Record<TurnOutcome, string>> = {
  answered: 'answered',
  silent: 'nobody answered',
  reply_budget: 'the reply limit was reached',
  run_budget: 'the run limit was reached',
  token_budget: 'the token limit was reached',
  cancelled: 'cancelled',
};

/** What a member did in its turn; follows its name. */
export const leaseOutcomeWords = (ended: EndedTurn): string => LEASES[ended.outcome](ended);

/** Why a turn has ended. */
export const turnOutcomeWords = (outcome: TurnOutcome): string => TURNS[outcome];

function failureWords({ reason = 'unknown', detail }: EndedTurn): string {
  const known = FAILURES[reason];
  if (known === undefined) return detail ?? reason.replaceAll('_', ' ');
  return detail === undefined ? known : `${known}. ${detail}`;
}

const inBrackets = (reason: string | undefined): string =>
  reason === undefined ? '' : ` (${reason.replaceAll('_', ' ')})`;

const characters = (count: number): string =>
  `${String(count)} ${count === 1 ? 'character' : 'characters'}`;

/**
 * How the newest turn of a thread ended for members whose result is not visible there: a message and a reaction are,
 * a failure is not. Members that passed are listed only if nobody answered.
 */
export function outcomeLines(
  newestFirst: readonly StampedDecision[],
  names: ReadonlyMap<string, string>,
): readonly string[] {
  const [newest] = newestFirst;
  if (!newest) return [];
  const { turnId, replies } = newest.turn;
  return newestFirst
    .filter(({ turn }) => turn.turnId === turnId)
    .flatMap(({ ended }) => ended)
    .reverse()
    .flatMap((end) => {
      const { outcome, reason, memberId } = end;
      if (outcome === 'reacted' || (outcome === 'spoke' && reason === undefined)) return [];
      if (outcome === 'abstained' && replies > 0) return [];
      const name = memberId === undefined ? 'An agent' : (names.get(memberId) ?? memberId);
      return [`${name} ${leaseOutcomeWords(end)}`];
    });
}
