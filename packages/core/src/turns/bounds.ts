import type { AutonomyPolicy, Turn, TurnOutcome } from '@stoa/protocol';

export interface Bounds {
  readonly replies: number;
  readonly runs: number;
}

/** What a stimulus opened has a small budget of its own, with one run to spare for somebody who abstains. */
export function boundsOf({ stimulus }: Turn, policy: AutonomyPolicy): Bounds {
  if (stimulus) return { replies: stimulus.replies, runs: stimulus.replies + 1 };
  return {
    replies: policy.maxAgentRepliesPerHumanMessage,
    runs: policy.maxStartedRunsPerHumanMessage,
  };
}

export const isSpent = ({ tokens }: Turn, { tokensPerTurn }: AutonomyPolicy): boolean =>
  tokensPerTurn !== undefined && tokens >= tokensPerTurn;

/** Why a turn in which nobody speaks, and nobody can be started, is over; undefined if it is not. */
export function outcomeOf(
  turn: Turn,
  policy: AutonomyPolicy,
  someoneCoolsDown: boolean,
): TurnOutcome | undefined {
  const bounds = boundsOf(turn, policy);
  if (isSpent(turn, policy)) return 'token_budget';
  if (turn.replies >= bounds.replies) return 'reply_budget';
  if (turn.startedRuns >= bounds.runs) return 'run_budget';
  if (someoneCoolsDown) return undefined;
  return turn.replies > 0 ? 'answered' : 'silent';
}
