import type { AutonomyPolicy, NewStimulus } from '@stoa/protocol';
import {
  countActiveRoots,
  findChannelFields,
  findInitiative,
  findMemberByActor,
  findMessageRow,
  findTurn,
  listDispatchedStimuli,
  listOpenTurns,
  listRootPosts,
  listSpokenInChannel,
  type MemberRow,
  type Tx,
} from '@stoa/store';
import { policyOf, settingsOf } from '../channels/channel-settings.js';
import { sessionIdOf } from '../channels/member-name.js';
import { decode } from '../kernel/codec.js';
import { initiativeKeyOf } from '../work/initiative.js';
import { findWork, workOf } from '../work/read-work.js';
import type { ChannelState, ThreadToPost } from './place.js';
import { createdOf } from './records.js';

const HOUR_MS = 3_600_000;
/** A thread that a stimulus began and nobody said anything in for this long is not at work any more. */
const ROOT_ACTIVE_MS = 450_000;
const POSTED_LOOKED_AT = 200;
const SPOKEN_LOOKED_AT = 200;

export interface ReadChannel {
  readonly state: ChannelState;
  readonly policy: AutonomyPolicy;
  /** The member in whose name it is posted. */
  readonly sender?: MemberRow | undefined;
}

/** Everything that placing a stimulus depends on; undefined when the channel is gone. */
export function* readState(
  { topicId, archivedAt }: { readonly topicId: number; readonly archivedAt: number | null },
  stimulus: NewStimulus,
  now: number,
): Tx<ReadChannel | undefined> {
  const channel = yield* findChannelFields.first({ topicId });
  if (!channel) return undefined;
  const policy = policyOf(settingsOf(channel.settings));
  const { senderSessionId, threadRootMessageId } = stimulus;
  const initiativeKey = initiativeKeyOf(stimulus);
  const sender =
    senderSessionId === undefined
      ? undefined
      : yield* findMemberByActor.first({ topicId, actorId: `session:${senderSessionId}` });
  const posted = yield* listDispatchedStimuli.all({ topicId, limit: POSTED_LOOKED_AT });
  const since = now - Math.max(HOUR_MS, policy.quietPeriodMsAfterRootPost);
  const limit = policy.maxAutonomousRootPostsPerHour + 1;
  const roots = yield* listRootPosts.all({ topicId, since, limit });
  const active = yield* countActiveRoots.first({ topicId, since: now - ROOT_ACTIVE_MS });
  return {
    policy,
    sender,
    state: {
      paused: channel.paused === 1,
      archived: archivedAt !== null,
      thread:
        threadRootMessageId === undefined
          ? undefined
          : yield* threadToPost(topicId, threadRootMessageId),
      initiative:
        threadRootMessageId === undefined && initiativeKey !== undefined
          ? yield* initiativeOf(topicId, initiativeKey)
          : undefined,
      senderIsHere: senderSessionId === undefined || sender !== undefined,
      posted: posted.flatMap((row) =>
        row.messageId === null || row.dispatchedAt === null
          ? []
          : [{ ...createdOf(row), messageId: row.messageId, dispatchedAt: row.dispatchedAt }],
      ),
      rootPosts: roots.map(({ rootPostedAt }) => rootPostedAt),
      activeRoots: active?.count ?? 0,
    },
  };
}

function* threadToPost(topicId: number, rootMessageId: string): Tx<ThreadToPost | undefined> {
  const root = yield* findMessageRow.first({ topicId, messageId: rootMessageId });
  if (!root || root.rootMessageId !== null || root.deletedAt !== null) return undefined;
  const turn = yield* findTurn.first({ topicId, rootMessageId });
  return {
    rootMessageId,
    isBusy: turn?.isOpen === 1,
    work: yield* findWork(topicId, rootMessageId),
  };
}

/** The open thread of an initiative. */
export function* initiativeOf(
  topicId: number,
  initiativeKey: string,
): Tx<ThreadToPost | undefined> {
  const row = yield* findInitiative.first({ topicId, initiativeKey });
  return row && (yield* threadToPost(topicId, workOf(row).threadRootMessageId));
}

/**
 * How much agents may still say on their own: what the policy allows, less what agents said in threads
 * since a person last spoke in the channel, less what open turns of stimuli may still use. What a session
 * puts in counts like what it answers, or two of them could keep each other awake by ideas.
 */
export function* repliesLeft(topicId: number, policy: AutonomyPolicy): Tx<number> {
  let left = policy.maxAutonomousRepliesSinceHuman;
  for (const said of yield* listSpokenInChannel.all({ topicId, limit: SPOKEN_LOOKED_AT })) {
    if (said.authorId.startsWith('human:')) break;
    if (said.rootMessageId !== null && sessionIdOf(said.authorId) !== undefined) left -= 1;
  }
  for (const { rootMessageId } of yield* listOpenTurns.all({ topicId })) {
    const row = yield* findTurn.first({ topicId, rootMessageId });
    const turn = row && decode(row.decided).turn;
    if (turn?.stimulus) left -= Math.max(0, turn.stimulus.replies - turn.replies);
  }
  const { maxAgentRepliesPerStimulus, maxAgentRepliesPerHumanMessage } = policy;
  // Who speaks when a person says something goes on, and counts against what that may lead to.
  return Math.min(left, maxAgentRepliesPerStimulus, maxAgentRepliesPerHumanMessage);
}
