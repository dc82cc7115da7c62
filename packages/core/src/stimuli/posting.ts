import type { AutonomyPolicy, NewStimulus, StimulusReason, ThreadWork } from '@stoa/protocol';
import { hasExpired } from '../kernel/durable-queue.js';
import { isRepetitionOf, REPETITION_MS } from './equivalence.js';
import { KIND_RULES } from './kinds.js';

/** A thread in which a stimulus can be posted. */
export interface TargetThread {
  readonly rootMessageId: string;
  /** It has an open turn. */
  readonly isBusy: boolean;
  readonly work?: ThreadWork | undefined;
}

/** Everything that the decision about a stimulus depends on. */
export interface ChannelState {
  readonly paused: boolean;
  readonly archived: boolean;
  /** The thread that it names, unless the root of that was deleted. */
  readonly thread?: TargetThread | undefined;
  /** The open thread of the initiative that its dedupe key names. */
  readonly initiative?: TargetThread | undefined;
  /** The session that sends it is a member, or no session sends it. */
  readonly senderIsHere: boolean;
  /** The stimuli that were posted last, newest first. */
  readonly posted: readonly (NewStimulus & {
    readonly messageId: string;
    readonly dispatchedAt: number;
  })[];
  /** When stimuli opened threads within the last hour or quiet period; newest first. */
  readonly rootPosts: readonly number[];
  readonly activeRoots: number;
}

export type Posting =
  /** A promotion is a message in the feed that refers to its thread. */
  | { readonly do: 'post'; readonly as: 'root' }
  | { readonly do: 'post'; readonly as: 'reply' | 'promotion'; readonly thread: TargetThread }
  /** `wait` ends at a time, `hold` with an event. */
  | { readonly do: 'wait'; readonly until: number; readonly reason: StimulusReason }
  | { readonly do: 'hold'; readonly reason: StimulusReason }
  | { readonly do: 'cancel'; readonly reason: StimulusReason }
  | { readonly do: 'coalesce'; readonly stimulusId: string; readonly messageId: string };

const HOUR_MS = 3_600_000;

/**
 * Decides whether a stimulus is posted now, and in which thread.
 *
 * A stimulus is cancelled when it has expired or its sender or thread is gone, and coalesced when the same text was posted a
 * moment ago. A stimulus that wakes sessions is held while its thread has an open turn. Limits apply only to stimuli that
 * open a thread: in a quiet period they wait, and the limits on active threads and threads per hour cancel them.
 */
export function decidePosting(
  stimulus: NewStimulus,
  state: ChannelState,
  policy: AutonomyPolicy,
  now: number,
): Posting {
  if (hasExpired(stimulus, now)) return cancel('expired');
  if (!state.senderIsHere) return cancel('not_member');
  if (stimulus.scope === 'thread' && !state.thread) return cancel('no_thread');
  if (state.paused || state.archived) return { do: 'hold', reason: 'paused' };
  const same = state.posted.find(
    (known) => known.dispatchedAt > now - REPETITION_MS && isRepetitionOf(stimulus, known),
  );
  if (same) return { do: 'coalesce', stimulusId: same.stimulusId, messageId: same.messageId };
  const thread = state.thread ?? state.initiative;
  return thread ? inThread(stimulus, thread, policy, now) : asRoot(stimulus, state, policy, now);
}

function inThread(
  { kind, scope, visibilityHint }: NewStimulus,
  thread: TargetThread,
  { quietPeriodMsAfterRootPost }: AutonomyPolicy,
  now: number,
): Posting {
  if (scope === 'thread' && visibilityHint === 'main') {
    const until = (thread.work?.lastMainPromotionAt ?? -Infinity) + quietPeriodMsAfterRootPost;
    if (until > now) return { do: 'wait', until, reason: 'quiet_period' };
    return { do: 'post', as: 'promotion', thread };
  }
  if (thread.isBusy && KIND_RULES[kind].wakes) return { do: 'hold', reason: 'thread_busy' };
  return { do: 'post', as: 'reply', thread };
}

function asRoot(
  { kind }: NewStimulus,
  { rootPosts, activeRoots }: ChannelState,
  policy: AutonomyPolicy,
  now: number,
): Posting {
  const until = (rootPosts[0] ?? -Infinity) + policy.quietPeriodMsAfterRootPost;
  if (until > now) return { do: 'wait', until, reason: 'quiet_period' };
  // A summary completes the work of its thread when it is posted.
  const staysActive = KIND_RULES[kind].topicKind === 'autonomous_root';
  if (staysActive && activeRoots >= policy.maxActiveAutonomousRoots) {
    return cancel('active_root_limit');
  }
  const inHour = rootPosts.filter((at) => at > now - HOUR_MS).length;
  if (inHour >= policy.maxAutonomousRootPostsPerHour) return cancel('hourly_root_limit');
  return { do: 'post', as: 'root' };
}

const cancel = (reason: StimulusReason): Posting => ({ do: 'cancel', reason });
