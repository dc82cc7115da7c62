import type { LeasePhase, ParticipationMode, Turn } from '@stoa/protocol';

/** A session that is a member of the channel, with everything that arbitration depends on. */
export interface MemberState {
  readonly memberId: string;
  readonly sessionId: string;
  readonly mode: ParticipationMode;
  readonly muted: boolean;
  /** Why it cannot take a run now. */
  readonly unavailable?: 'session_ended' | 'inbox_full' | undefined;
  /** How many of its expertise tags and words of its role occur in the message. */
  readonly expertise: number;
  /** When it last spoke in this thread. */
  readonly spokeAt?: number | undefined;
  readonly isLastInThread: boolean;
  readonly isLastInChannel: boolean;
  readonly reactedSinceOrigin: boolean;
  /** Runs that it already has. */
  readonly liveRuns: number;
}

/** A lease that has not ended, with the progress of its run. */
export interface LiveLease {
  readonly leaseId: string;
  readonly turnId: string;
  readonly sessionId: string;
  readonly phase: Exclude<LeasePhase, 'ended'>;
  readonly deadline: number;
  /** When its run was last active; before it starts, when the lease was granted. */
  readonly progressAt: number;
  /** Tokens that its run has used. */
  readonly tokens: number;
}

export interface ThreadState {
  readonly paused: boolean;
  readonly turn: Turn;
  readonly leases: readonly LiveLease[];
  readonly members: readonly MemberState[];
}
