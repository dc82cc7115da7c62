import {
  type Binding,
  BindingKind,
  LIMITS,
  type NewStimulus,
  type ProgressSnapshot,
  type ThreadWork,
  type TopicOfWork,
  type WorkStatus,
} from '@stoa/protocol';
import { defined } from '../kernel/defined.js';
import { initiativeKeyOf } from './initiative.js';
import { raised } from './status.js';

export function newWork(
  channelId: string,
  threadRootMessageId: string,
  topicKind: TopicOfWork,
  status: WorkStatus,
  at: number,
): ThreadWork {
  return {
    channelId,
    threadRootMessageId,
    topicKind,
    status,
    lastSignalAt: at,
    bindings: [],
    progressSnapshots: [],
    metadata: {},
  };
}

/** A stimulus that was posted in a thread. */
export interface Materialised {
  readonly stimulus: NewStimulus;
  readonly status: WorkStatus;
  readonly messageId: string;
  /** Whether it was posted to the feed and only refers to the thread. */
  readonly isPromotion: boolean;
  /** Whether its source has ended, so that it is not bound to the thread. */
  readonly isSourceOver: boolean;
  /** The first session that got a turn for it. */
  readonly woken?: { readonly sessionId: string; readonly runId: string } | undefined;
  readonly digest: string;
  readonly at: number;
}

/** The work of a thread after a stimulus was posted in it. */
export function afterStimulus(work: ThreadWork, posted: Materialised): ThreadWork {
  const { stimulus, messageId, isPromotion, isSourceOver, woken, at } = posted;
  const { stimulusId, kind, sourceKind, sourceRef, progressKey } = stimulus;
  const initiativeKey = initiativeKeyOf(stimulus);
  const owner = work.ownerSessionId ?? woken?.sessionId ?? stimulus.senderSessionId;
  const isInitiative = work.topicKind !== 'human' && work.initiativeKey === undefined;
  let after: ThreadWork = {
    ...work,
    status: raised(work.status, posted.status),
    ...defined({ ownerSessionId: owner, sourceKind, sourceRef }),
    ...(isInitiative ? defined({ initiativeKey }) : {}),
    lastStimulusId: stimulusId,
    lastStimulusKind: kind,
    lastSignalAt: at,
    ...(isPromotion ? { lastMainPromotionAt: at } : {}),
    ...(kind === 'thread_idle_followup' ? { followedUpAt: at } : {}),
  };
  const bound = BindingKind.safeParse(sourceKind);
  // A run is bound to the thread it works in, which may be another one.
  const binds = bound.success && bound.data !== 'run' && !isSourceOver;
  if (binds && sourceRef !== undefined) {
    const binding = { bindingKind: bound.data, bindingRef: sourceRef, boundAt: at };
    after = withBinding(after, { ...binding, latestStimulusId: stimulusId });
  }
  if (woken) {
    const binding = { bindingKind: 'run' as const, bindingRef: woken.runId, boundAt: at };
    after = withBinding(after, { ...binding, latestStimulusId: stimulusId });
  }
  if (progressKey === undefined || isPromotion) return after;
  return withSnapshot(after, {
    progressKey,
    ...defined({ sourceKind, sourceRef }),
    latestMessageId: messageId,
    updatedAt: at,
    summaryDigest: posted.digest,
  });
}

/** Adds or updates a binding; beyond the limit the oldest one is dropped. */
export function withBinding(work: ThreadWork, binding: Binding): ThreadWork {
  const isSame = ({ bindingKind, bindingRef }: Binding): boolean =>
    bindingKind === binding.bindingKind && bindingRef === binding.bindingRef;
  const before = work.bindings.find(isSame);
  const others = work.bindings.filter((known) => !isSame(known));
  const bound = { ...before, ...binding, boundAt: before?.boundAt ?? binding.boundAt };
  return { ...work, bindings: [...others, bound].slice(-LIMITS.bindingsPerThread) };
}

function withSnapshot(work: ThreadWork, snapshot: ProgressSnapshot): ThreadWork {
  const others = work.progressSnapshots.filter(
    ({ progressKey }) => progressKey !== snapshot.progressKey,
  );
  const progressSnapshots = [...others, snapshot].slice(-LIMITS.progressSnapshotsPerThread);
  return { ...work, progressSnapshots };
}

/** The message that currently shows the progress of a key. */
export function shownMarker(work: ThreadWork | undefined, key: string | undefined) {
  return work?.progressSnapshots.find(({ progressKey }) => progressKey === key)?.latestMessageId;
}
