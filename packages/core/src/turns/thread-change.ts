import type { AutonomyPolicy, EventData, Turn } from '@stoa/protocol';
import type { LeaseRow } from '@stoa/store';
import type { AfterCancel } from '../channels/context.js';
import { arbitrate, type Decisions, type EndedLease } from './arbitrate.js';
import { chargeLease } from './budget.js';
import type { MemberState, ThreadState } from './thread-state.js';

/** What one commit changes in a thread that has a turn. */
export type ThreadChange =
  /** A deadline passed, an approval was settled, or the channel was resumed. */
  { readonly type: 'time' | 'answered' | 'resumed' } | RunEnded | LeasesCancelled;

/** A run with a lease ended. */
interface RunEnded {
  readonly type: 'run_ended';
  readonly lease: LeaseRow;
  readonly ended: Omit<EndedLease, 'leaseId'>;
  /** The message that it published, and the sessions that this message calls. */
  readonly reply?:
    | { readonly posted: EventData<'message_posted'>; readonly called: readonly string[] }
    | undefined;
  readonly isSessionEnded: boolean;
}

/** A person cancelled leases. */
interface LeasesCancelled {
  readonly type: 'cancelled';
  readonly leases: readonly LeaseRow[];
  readonly then: AfterCancel;
}

/** The state of a thread with a change that is not stored yet. */
export function changedThread(state: ThreadState, change: ThreadChange, at: number): ThreadState {
  switch (change.type) {
    case 'time':
    case 'answered':
      return state;
    case 'resumed':
      return { ...state, paused: false };
    case 'cancelled':
      return withoutLeases(state, change.leases);
    case 'run_ended':
      return afterRun(withoutLeases(state, [change.lease]), change, at);
  }
}

/** Decides about a thread whose state already includes the change. */
export function decideAgain(
  state: ThreadState,
  policy: AutonomyPolicy,
  change: ThreadChange,
  at: number,
): Decisions {
  const isClosed = change.type === 'cancelled' && change.then === 'close';
  const decisions = isClosed ? closed(state.turn, at) : arbitrate(state, policy, at);
  return { ...decisions, ends: [...endedBy(change), ...decisions.ends] };
}

function endedBy(change: ThreadChange): EndedLease[] {
  switch (change.type) {
    case 'run_ended':
      return [{ leaseId: change.lease.leaseId, ...change.ended }];
    case 'cancelled':
      return change.leases.map(({ leaseId }) => ({ leaseId, outcome: 'cancelled' }));
    default:
      return [];
  }
}

function closed({ wakeAt: _, ...turn }: Turn, at: number): Decisions {
  return {
    grants: [],
    ends: [],
    renewals: [],
    candidates: [],
    others: [],
    candidateCount: 0,
    turn: { ...turn, closedAt: at, outcome: 'cancelled' },
  };
}

/** Ends leases, charges the turn for their runs, and opens it if it was closed. */
function withoutLeases(state: ThreadState, leases: readonly LeaseRow[]): ThreadState {
  const ids = new Set(leases.map(({ leaseId }) => leaseId));
  const ended = state.leases.filter(({ leaseId }) => ids.has(leaseId));
  const { closedAt: _, outcome: __, ...turn } = ended.reduce(chargeLease, state.turn);
  return { ...state, turn, leases: state.leases.filter(({ leaseId }) => !ids.has(leaseId)) };
}

function afterRun(
  state: ThreadState,
  { lease, reply, isSessionEnded }: RunEnded,
  at: number,
): ThreadState {
  return {
    ...state,
    turn: reply ? withReply(state.turn, lease, reply) : state.turn,
    members: state.members.map((member): MemberState => {
      const isSpeaker = member.sessionId === lease.sessionId;
      return {
        ...member,
        ...(reply ? { isLastInThread: isSpeaker } : {}),
        ...(reply && isSpeaker ? { spokeAt: at } : {}),
        ...(isSessionEnded && isSpeaker ? { unavailable: 'session_ended' } : {}),
      };
    }),
  };
}

/**
 * A reply to an earlier turn costs this one nothing. It calls nobody while sessions that the person addressed in this
 * turn have not had it yet: they come first.
 */
function withReply(
  turn: Turn,
  { turnId }: LeaseRow,
  { posted, called }: NonNullable<RunEnded['reply']>,
): Turn {
  const isOwn = turnId === turn.turnId;
  const isSelectedWaiting = turn.selected.some((sessionId) => !turn.served.includes(sessionId));
  return {
    ...turn,
    replies: turn.replies + (isOwn ? 1 : 0),
    ...(isOwn || !isSelectedWaiting
      ? { called: [...called], calledByMessageId: posted.messageId }
      : {}),
  };
}
