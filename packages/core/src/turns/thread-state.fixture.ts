import { type AutonomyPolicy, DEFAULT_AUTONOMY_POLICY, type Turn } from '@stoa/protocol';
import type { LiveLease, Standing, ThreadState } from './thread-state.js';

/** Names such as `a` stand for ids: arbitration only compares them. */
export const standing = (name: string, known: Partial<Standing> = {}): Standing => ({
  memberId: name,
  sessionId: name,
  mode: 'selected_only',
  muted: false,
  expertise: 0,
  isLastInThread: false,
  isLastInChannel: false,
  reactedSinceOrigin: false,
  liveRuns: 0,
  ...known,
});

export const turn = (known: Partial<Turn> = {}): Turn => ({
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
  ...known,
});

export const lease = (sessionId: string, known: Partial<LiveLease> = {}): LiveLease => ({
  leaseId: `lease of ${sessionId}`,
  turnId: 'turn',
  sessionId,
  phase: 'running',
  deadline: 60_000,
  progressAt: 0,
  tokens: 0,
  ...known,
});

export const thread = (
  standings: readonly Standing[],
  known: Partial<ThreadState> = {},
): ThreadState => ({ paused: false, turn: turn(), leases: [], standings, ...known });

export const policy = (known: Partial<AutonomyPolicy> = {}): AutonomyPolicy => ({
  ...DEFAULT_AUTONOMY_POLICY,
  ...known,
});
