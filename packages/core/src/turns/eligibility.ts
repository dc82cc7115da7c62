import type { AutonomyPolicy, CandidateReason, Turn } from '@stoa/protocol';
import type { MemberState } from './thread-state.js';

export type Eligibility =
  | { readonly may: 'start' }
  | { readonly may: 'later'; readonly at: number }
  | { readonly may: 'no'; readonly reason: CandidateReason };

const no = (reason: CandidateReason): Eligibility => ({ may: 'no', reason });

/** Whether this member may get the turn now, or later, or why not. */
export function eligibility(
  member: MemberState,
  turn: Turn,
  { memberCooldownMs }: AutonomyPolicy,
  now: number,
): Eligibility {
  const { sessionId, mode, muted, unavailable, spokeAt = Number.NEGATIVE_INFINITY } = member;
  if (muted) return no('muted');
  const isByHand = turn.byHand?.includes(sessionId) === true;
  if (mode === 'manual_only' && !isByHand) return no('manual_only');
  if (unavailable) return no(unavailable);
  const isCalled = turn.called.includes(sessionId);
  if (turn.served.includes(sessionId) && !isCalled) return no('served');
  if (turn.stimulus?.senderSessionId === sessionId && !isCalled) return no('sender');
  const isSelected = isCalled || turn.selected.includes(sessionId);
  if (!isSelected && !mayJoinIn(member, turn)) return no('others_selected');
  const rested = spokeAt + memberCooldownMs;
  if (rested <= now || isSelected || isFollowUp(member, turn)) return { may: 'start' };
  return { may: 'later', at: rested };
}

/** A message in a thread that names nobody is for the agent that spoke there last. */
const isFollowUp = ({ isLastInThread }: MemberState, turn: Turn): boolean =>
  isLastInThread && turn.stimulus === undefined && turn.selected.length === 0 && !turn.isForPeople;

/** Whether a member that is not selected may speak. */
function mayJoinIn({ mode }: MemberState, turn: Turn): boolean {
  const { selected, served, replies } = turn;
  if (mode === 'always_listen') return true;
  if (selected.length === 0) return !turn.isForPeople;
  const allServed = selected.every((sessionId) => served.includes(sessionId));
  return mode === 'prefer_selected' && allServed && replies === 0;
}
