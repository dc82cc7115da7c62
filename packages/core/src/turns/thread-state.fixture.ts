import { type AutonomyPolicy, DEFAULT_AUTONOMY_POLICY, type Turn } from '@stoa/protocol';
import type { LiveLease, MemberState, ThreadState } from './thread-state.js';

/** A name such as `a` is used for all ids: arbitration only compares them. */
export const member = (name: string, fields: Partial<MemberState> = {}): MemberState => ({
  memberId: name,
  sessionId: name,
  mode: 'selected_only',
  muted: false,
  expertise: 0,
  isLastInThread: false,
  isLastInChannel: false,
  reactedSinceOrigin: false,
  liveRuns: 0,
  ...fields,
});

export const turn = (fields: Partial<Turn> = {}): Turn => ({
  turnId: 'turn',
  threadRootMessageId: 'root',
  originMessageId: 'root',
  openedAt: 0,
  selected: [],
  isForPeople: false,
  called: [],
  served: [],
  replies: 0,
  startedRuns: 0,
  tokens: 0,
  ...fields,
});

export const lease = (sessionId: string, fields: Partial<LiveLease> = {}): LiveLease => ({
  leaseId: `lease of ${sessionId}`,
  turnId: 'turn',
  sessionId,
  phase: 'running',
  deadline: 60_000,
  progressAt: 0,
  tokens: 0,
  ...fields,
});

export const thread = (
  members: readonly MemberState[],
  fields: Partial<ThreadState> = {},
): ThreadState => ({ paused: false, turn: turn(), leases: [], members, ...fields });

export const policy = (fields: Partial<AutonomyPolicy> = {}): AutonomyPolicy => ({
  ...DEFAULT_AUTONOMY_POLICY,
  ...fields,
});
