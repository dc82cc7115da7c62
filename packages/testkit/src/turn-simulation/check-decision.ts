import type { Candidate, TurnDecision } from '@stoa/protocol';
import { violated } from '../simulation/failure.js';
import {
  boundsIn,
  type ChannelModel,
  ownSpeakers,
  roomIn,
  type SpeakingMember,
  type ThreadModel,
} from './channel-model.js';

/** What the logs of sessions say that a decision depends on. */
export interface SessionFacts {
  hasEnded(sessionId: string): boolean;
  /** When a session last spoke in a thread. */
  spokeAt(rootMessageId: string, sessionId: string): number | undefined;
  /** When a run last did something since it was started. */
  activeAt(runId: string): number | undefined;
  /** The session that spoke last in a thread. */
  lastSpeaker(rootMessageId: string): string | undefined;
}

export interface Judged {
  readonly model: ChannelModel;
  readonly thread: ThreadModel;
  readonly decision: TurnDecision;
  readonly at: number;
  /** Sessions whose turn this decision ended. */
  readonly spoke: ReadonlySet<string>;
  /** Those of them who made room for others, after every candidate was considered. */
  readonly replaced: ReadonlySet<string>;
  readonly sessions: SessionFacts;
}

/**
 * Checks a decision after its effects are applied to the model: the counts are right, the limits are kept, every member was
 * considered, nobody was passed over without a reason, and nobody waits who could speak.
 */
export function checkDecision(judged: Judged): void {
  checkCounts(judged);
  checkBounds(judged);
  checkCandidates(judged);
  checkRenewals(judged);
  checkNobodyIsStranded(judged);
}

function checkCounts({ thread, decision: { turn } }: Judged): void {
  const counted = { replies: thread.replies, startedRuns: thread.runs };
  const stated = { replies: turn.replies, startedRuns: turn.startedRuns };
  if (counted.replies !== stated.replies || counted.startedRuns !== stated.startedRuns) {
    violated('a turn states other counts than what happened', { counted, stated });
  }
}

function checkBounds({ model, thread, decision }: Judged): void {
  const { policy } = model;
  const bounds = boundsIn(thread.turn, policy);
  const speakers = thread.live.size;
  if (speakers > policy.maxParallelPublicSpeakers) {
    violated('too many speak at once', { speakers, most: policy.maxParallelPublicSpeakers });
  }
  const own = ownSpeakers(thread);
  if (thread.replies + own > bounds.replies) {
    const most = bounds.replies;
    violated('more may speak than replies are left', { replies: thread.replies, own, most });
  }
  if (thread.runs > bounds.runs) {
    violated('more runs than a turn may have', { runs: thread.runs });
  }
  if (decision.granted.length > 0 && (model.paused || model.archived)) {
    violated('a turn was given in a channel that is paused or archived', { decision });
  }
}

function checkCandidates(judged: Judged): void {
  const { model, thread, decision } = judged;
  const candidates = candidatesIn(judged);
  const considered = candidates.map(({ memberId }) => memberId).sort();
  const members = [...model.members.keys()].sort();
  if (considered.join() !== members.join() || decision.candidateCount !== members.length) {
    violated('not all were considered', { considered, members });
  }
  for (const candidate of candidates) {
    const member = model.members.get(candidate.memberId) as SpeakingMember;
    const isGranted = decision.granted.some(({ memberId }) => memberId === member.memberId);
    if (isGranted !== (candidate.verdict === 'granted'))
      violated('a verdict is not kept', { candidate });
    if (!mayBe(judged, member, candidate)) {
      violated('a verdict is wrong', { candidate, member, turn: thread.turn, at: judged.at });
    }
  }
}

type Verdict = Pick<Candidate, 'memberId' | 'verdict' | 'reason'>;

/** All candidates, also those in groups; the first group holds everybody who is not listed elsewhere. */
function candidatesIn({ model, decision }: Judged): Verdict[] {
  const { candidates, others: [largest, ...smaller] = [] } = decision;
  const all: Verdict[] = [...candidates];
  for (const { memberIds, count, verdict, reason } of smaller) {
    if (memberIds.length !== count)
      violated('a group does not name all of its members', { decision });
    for (const memberId of memberIds) all.push({ memberId, verdict, reason });
  }
  if (!largest) return all;
  const named = new Set(all.map(({ memberId }) => memberId));
  const rest = [...model.members.keys()].filter((memberId) => !named.has(memberId));
  if (rest.length !== largest.count) violated('a group has another size than stated', { decision });
  const { verdict, reason } = largest;
  return [...all, ...rest.map((memberId) => ({ memberId, verdict, reason }))];
}

/** Whether the verdict about a member is right. */
function mayBe(judged: Judged, member: SpeakingMember, candidate: Verdict): boolean {
  const { thread, at, model, sessions } = judged;
  const { sessionId, mode, muted } = member;
  const { verdict, reason } = candidate;
  const isSpeaking = [...thread.live.values()].some((lease) => lease.sessionId === sessionId);
  if (verdict === 'granted') return isSpeaking && !muted && mode !== 'manual_only';
  if (verdict === 'speaking') return isSpeaking || judged.spoke.has(sessionId);
  if (verdict === 'queued') return !isSpeaking && !muted && mode !== 'manual_only';
  switch (reason) {
    case 'muted':
      return muted;
    case 'manual_only':
      return mode === 'manual_only';
    case 'session_ended':
      return sessions.hasEnded(sessionId);
    case 'served':
      return thread.served.has(sessionId) && !thread.called.has(sessionId);
    case 'sender':
      return thread.turn.stimulus?.senderSessionId === sessionId && !thread.called.has(sessionId);
    case 'others_selected':
      return !isAddressed(thread, sessionId) && !mayJoinIn(member, judged);
    case 'cooling_down': {
      const spokeAt = sessions.spokeAt(thread.rootMessageId, sessionId);
      const isCooling = spokeAt !== undefined && spokeAt + model.policy.memberCooldownMs > at;
      return isCooling && !isAddressed(thread, sessionId) && !isFollowUp(judged, sessionId);
    }
    default:
      return false;
  }
}

/** The last speaker of a thread has no cooldown before it answers a person who names nobody. */
const isFollowUp = ({ thread, sessions }: Judged, sessionId: string): boolean =>
  thread.turn.stimulus === undefined &&
  thread.turn.selected.length === 0 &&
  !thread.turn.isForPeople &&
  sessions.lastSpeaker(thread.rootMessageId) === sessionId;

const isAddressed = ({ turn, called }: ThreadModel, sessionId: string): boolean =>
  called.has(sessionId) || turn.selected.includes(sessionId);

function mayJoinIn({ mode }: SpeakingMember, { thread, replaced }: Judged): boolean {
  const { turn, served, replies } = thread;
  if (mode === 'always_listen') return true;
  if (turn.selected.length === 0) return !turn.isForPeople;
  const allServed = turn.selected.every((id) => served.has(id) && !replaced.has(id));
  return mode === 'prefer_selected' && replies === 0 && allServed;
}

/** A lease beyond its time belongs to an active run, or nobody else could have the turn. An active run keeps its lease. */
function checkRenewals(judged: Judged): void {
  const { model, thread, decision, at, sessions } = judged;
  const isAtWork = (leaseId: string): boolean => {
    const lease = model.leases.get(leaseId);
    const activeAt = lease && sessions.activeAt(lease.runId);
    if (!lease || activeAt === undefined) return false;
    // A clock that was set back does not make a run older than its turn.
    return at < Math.max(activeAt, lease.grantedAt) + model.policy.leaseTimeoutMs;
  };
  for (const { leaseId, outcome } of decision.ended) {
    if (outcome === 'superseded' && isAtWork(leaseId))
      violated('a turn was taken from who is at work', { leaseId, decision });
  }
  const candidates = candidatesIn(judged);
  if (model.paused || model.archived) return;
  if (!candidates.some(({ verdict }) => verdict === 'queued')) return;
  const { policy } = model;
  const bounds = boundsIn(thread.turn, policy);
  for (const { leaseId } of decision.renewed) {
    if (isAtWork(leaseId)) continue;
    const isOwn = model.leases.get(leaseId)?.turnId === thread.turn.turnId;
    // What this one would have given back.
    const own = ownSpeakers(thread) - (isOwn ? 1 : 0);
    const isRoom =
      thread.replies + own < bounds.replies &&
      thread.live.size - 1 < policy.maxParallelPublicSpeakers &&
      thread.runs < bounds.runs;
    if (isRoom) violated('a turn was renewed while others waited', { decision });
  }
}

/**
 * Nobody waits who could speak now. A thread in which nobody speaks is over, or is reevaluated when somebody may; a thread in
 * which somebody speaks is reevaluated when the lease expires.
 */
function checkNobodyIsStranded(judged: Judged): void {
  const { model, thread, decision, at } = judged;
  const { turn } = decision;
  const candidates = candidatesIn(judged);
  const isWaiting = candidates.some(({ verdict }) => verdict === 'queued');
  const isCooling = candidates.some(({ reason }) => reason === 'cooling_down');
  const room = roomIn(model, thread);
  if (room > 0 && isWaiting) violated('somebody could speak and is left waiting', { turn, room });
  if (turn.closedAt !== undefined) {
    if (thread.live.size > 0) violated('a turn is over while somebody speaks', { turn });
    if (room > 0 && isCooling) violated('a turn is over before all were asked', { turn });
    return;
  }
  if (model.paused || model.archived) return;
  if (turn.wakeAt === undefined) violated('a thread is never reevaluated', { turn });
  else if (turn.wakeAt <= at) violated('a thread is to be reevaluated in the past', { turn, at });
}
