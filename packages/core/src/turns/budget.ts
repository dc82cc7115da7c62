import type { AutonomyPolicy, Turn, TurnOutcome } from '@stoa/protocol';
import type { LiveLease } from './thread-state.js';

export interface Budget {
  readonly replies: number;
  readonly runs: number;
}

/** A turn that a stimulus opened has its own small budget, with one more run in case a session abstains. */
export function budgetOf({ stimulus }: Turn, policy: AutonomyPolicy): Budget {
  if (stimulus) return { replies: stimulus.replies, runs: stimulus.replies + 1 };
  return {
    replies: policy.maxAgentRepliesPerHumanMessage,
    runs: policy.maxStartedRunsPerHumanMessage,
  };
}

export const isSpent = ({ tokens }: Turn, { tokensPerTurn }: AutonomyPolicy): boolean =>
  tokensPerTurn !== undefined && tokens >= tokensPerTurn;

/**
 * Records that a session had the turn, and the tokens that its run used. A lease of an earlier turn changes nothing: it
 * was paid for there.
 */
export function chargeLease(turn: Turn, { turnId, sessionId, tokens }: LiveLease): Turn {
  if (turnId !== turn.turnId) return turn;
  const isServed = turn.served.includes(sessionId);
  return {
    ...turn,
    served: isServed ? turn.served : [...turn.served, sessionId],
    tokens: turn.tokens + tokens,
  };
}

/** Why a turn is over in which nobody speaks and nobody can start; undefined if it is not over. */
export function outcomeOf(
  turn: Turn,
  policy: AutonomyPolicy,
  isAnyoneCoolingDown: boolean,
): TurnOutcome | undefined {
  const budget = budgetOf(turn, policy);
  if (isSpent(turn, policy)) return 'token_budget';
  if (turn.replies >= budget.replies) return 'reply_budget';
  if (turn.startedRuns >= budget.runs) return 'run_budget';
  if (isAnyoneCoolingDown) return undefined;
  return turn.replies > 0 ? 'answered' : 'silent';
}
