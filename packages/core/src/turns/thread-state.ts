import type { LeasePhase, ParticipationMode, Turn } from '@stoa/protocol';

/** What is known of one session member when a thread is looked at. */
export interface Standing {
  readonly memberId: string;
  readonly sessionId: string;
  readonly mode: ParticipationMode;
  readonly muted: boolean;
  /** Why it could not take a run now. */
  readonly unavailable?: 'session_ended' | 'inbox_full' | undefined;
  /** How much of what it is there for occurs in the message. */
  readonly expertise: number;
  /** When it last spoke in this thread. */
  readonly spokeAt?: number | undefined;
  readonly isLastInThread: boolean;
  readonly isLastInChannel: boolean;
  readonly reactedSinceOrigin: boolean;
  /** Runs that it has already. */
  readonly liveRuns: number;
}

/** A lease that has not ended, with what its run is doing. */
export interface LiveLease {
  readonly leaseId: string;
  readonly turnId: string;
  readonly sessionId: string;
  readonly phase: Exclude<LeasePhase, 'ended'>;
  readonly deadline: number;
  /** When the run last did something; of a grant, when it was made. */
  readonly progressAt: number;
  /** What its run took so far. */
  readonly tokens: number;
}

export interface ThreadState {
  readonly paused: boolean;
  readonly turn: Turn;
  readonly leases: readonly LiveLease[];
  readonly standings: readonly Standing[];
}
