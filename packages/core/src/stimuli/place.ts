import type { AutonomyPolicy, NewStimulus, StimulusReason, ThreadWork } from '@stoa/protocol';
import { isRepetitionOf, SAME_WORDS_MS } from './equivalence.js';
import { KIND_RULES } from './kinds.js';

/** A thread that a stimulus could be posted in. */
export interface ThreadToPost {
  readonly rootMessageId: string;
  /** Somebody has the turn there, or is to have it. */
  readonly isBusy: boolean;
  readonly work?: ThreadWork | undefined;
}

/** Everything that is looked at when a stimulus is placed. */
export interface ChannelState {
  readonly paused: boolean;
  readonly archived: boolean;
  /** The thread it names; undefined when there is none, or its root was deleted. */
  readonly thread?: ThreadToPost | undefined;
  /** The open thread of the initiative that its dedupe key names. */
  readonly initiative?: ThreadToPost | undefined;
  /** Whether the session in whose name it is posted is still here; true when it has none. */
  readonly senderIsHere: boolean;
  /** What was posted lately, newest first. */
  readonly posted: readonly (NewStimulus & {
    readonly messageId: string;
    readonly dispatchedAt: number;
  })[];
  /** When stimuli last began threads, within the last hour or quiet period; newest first. */
  readonly rootPosts: readonly number[];
  readonly activeRoots: number;
}

export type Placement =
  /** `root` is the thread it belongs to; a promotion stands in the feed and points at it. */
  | { readonly do: 'post'; readonly as: 'root' }
  | { readonly do: 'post'; readonly as: 'reply' | 'promotion'; readonly thread: ThreadToPost }
  /** Nothing to be done before a time, or before something happens. */
  | { readonly do: 'wait'; readonly until: number; readonly reason: StimulusReason }
  | { readonly do: 'hold'; readonly reason: StimulusReason }
  | { readonly do: 'cancel'; readonly reason: StimulusReason }
  | { readonly do: 'coalesce'; readonly stimulusId: string; readonly messageId: string };

const HOUR_MS = 3_600_000;

/**
 * Where a stimulus goes: a pure function of what is known of its channel, total and deterministic.
 *
 * What may not be posted any more is cancelled, what was said a moment ago is not said again. A thread
 * in which somebody has the turn is not talked into, unless nobody is to be woken. Only what begins a
 * thread is held to the limits on roots, in this order: a quiet period lets it wait, the other two end it.
 */
export function place(
  stimulus: NewStimulus,
  state: ChannelState,
  policy: AutonomyPolicy,
  now: number,
): Placement {
  if (stimulus.expiresAt !== undefined && stimulus.expiresAt <= now) return cancel('expired');
  if (!state.senderIsHere) return cancel('not_member');
  if (stimulus.scope === 'thread' && !state.thread) return cancel('no_thread');
  if (state.paused || state.archived) return { do: 'hold', reason: 'paused' };
  const same = state.posted.find(
    (known) => known.dispatchedAt > now - SAME_WORDS_MS && isRepetitionOf(stimulus, known),
  );
  if (same) return { do: 'coalesce', stimulusId: same.stimulusId, messageId: same.messageId };
  const thread = state.thread ?? state.initiative;
  return thread ? inThread(stimulus, thread, policy, now) : asRoot(stimulus, state, policy, now);
}

function inThread(
  { kind, scope, visibilityHint }: NewStimulus,
  thread: ThreadToPost,
  { quietPeriodMsAfterRootPost }: AutonomyPolicy,
  now: number,
): Placement {
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
): Placement {
  const until = (rootPosts[0] ?? -Infinity) + policy.quietPeriodMsAfterRootPost;
  if (until > now) return { do: 'wait', until, reason: 'quiet_period' };
  // What only sums up is done when it is said.
  const staysActive = KIND_RULES[kind].topicKind === 'autonomous_root';
  if (staysActive && activeRoots >= policy.maxActiveAutonomousRoots) {
    return cancel('active_root_limit');
  }
  const inHour = rootPosts.filter((at) => at > now - HOUR_MS).length;
  if (inHour >= policy.maxAutonomousRootPostsPerHour) return cancel('hourly_root_limit');
  return { do: 'post', as: 'root' };
}

const cancel = (reason: StimulusReason): Placement => ({ do: 'cancel', reason });
