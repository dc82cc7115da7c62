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
import { initiativeKeyOf } from './initiative.js';
import { raised } from './status.js';

/** Work that nobody knew of until now. */
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

/** What a stimulus became in a thread. */
export interface Materialised {
  readonly stimulus: NewStimulus;
  readonly status: WorkStatus;
  readonly messageId: string;
  /** It stands in the feed, and only points at the thread. */
  readonly isPromotion: boolean;
  /** What it comes from has ended, and is bound to no thread any more. */
  readonly isSourceOver: boolean;
  /** The first who was given a turn by it. */
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
    ...(owner === undefined ? {} : { ownerSessionId: owner }),
    ...(isInitiative && initiativeKey !== undefined ? { initiativeKey } : {}),
    ...(sourceKind === undefined ? {} : { sourceKind }),
    ...(sourceRef === undefined ? {} : { sourceRef }),
    lastStimulusId: stimulusId,
    lastStimulusKind: kind,
    lastSignalAt: at,
    ...(isPromotion ? { lastMainPromotionAt: at } : {}),
    ...(kind === 'thread_idle_followup' ? { followedUpAt: at } : {}),
  };
  const bound = BindingKind.safeParse(sourceKind);
  // A run belongs to the thread it works in, which need not be the one it had an idea for.
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
    ...(sourceKind === undefined ? {} : { sourceKind }),
    ...(sourceRef === undefined ? {} : { sourceRef }),
    latestMessageId: messageId,
    updatedAt: at,
    summaryDigest: posted.digest,
  });
}

/** Bound twice is bound once; when there are too many, the one that was bound first goes. */
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

/** The marker of a stream of progress that is shown now. */
export function shownMarker(work: ThreadWork | undefined, key: string | undefined) {
  return work?.progressSnapshots.find(({ progressKey }) => progressKey === key)?.latestMessageId;
}
