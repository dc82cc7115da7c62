import type { AutonomyPolicy, NewStimulus } from '@stoa/protocol';
import {
  countActiveRoots,
  findChannelFields,
  findInitiative,
  findMemberByActor,
  findMessageRow,
  findTurn,
  listAuthorsInChannel,
  listDispatchedStimuli,
  listOpenTurns,
  listRootPosts,
  type MemberRow,
  type Tx,
} from '@stoa/store';
import { policyOf, settingsOf } from '../channels/channel-settings.js';
import { sessionIdOf } from '../channels/member-name.js';
import { decode } from '../kernel/codec.js';
import { initiativeKeyOf } from '../work/initiative.js';
import { findWork, workOf } from '../work/read-work.js';
import type { ChannelState, TargetThread } from './posting.js';
import { createdOf } from './records.js';

const HOUR_MS = 3_600_000;
/** A thread that a stimulus opened is active until it had no message for this long. */
const ROOT_ACTIVE_MS = 450_000;
const POSTED_READ = 200;
const MESSAGES_READ = 200;

export interface ReadChannel {
  readonly state: ChannelState;
  readonly policy: AutonomyPolicy;
  /** The member that posts it. */
  readonly sender?: MemberRow | undefined;
}

/** Reads what the decision about a stimulus depends on; undefined when the channel is gone. */
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
  const posted = yield* listDispatchedStimuli.all({ topicId, limit: POSTED_READ });
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
          : yield* targetThread(topicId, threadRootMessageId),
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

function* targetThread(topicId: number, rootMessageId: string): Tx<TargetThread | undefined> {
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
): Tx<TargetThread | undefined> {
  const row = yield* findInitiative.first({ topicId, initiativeKey });
  return row && (yield* targetThread(topicId, workOf(row).threadRootMessageId));
}

/**
 * How many replies a stimulus may still lead to: the limit of the policy, less the messages of agents in threads since the last
 * message of a person in the channel, less the replies that open turns of stimuli may still use. A stimulus of a session counts
 * like a reply; otherwise two sessions could wake each other without end.
 */
export function* repliesLeft(topicId: number, policy: AutonomyPolicy): Tx<number> {
  let left = policy.maxAutonomousRepliesSinceHuman;
  for (const message of yield* listAuthorsInChannel.all({ topicId, limit: MESSAGES_READ })) {
    if (message.authorId.startsWith('human:')) break;
    if (message.rootMessageId !== null && sessionIdOf(message.authorId) !== undefined) left -= 1;
  }
  for (const { rootMessageId } of yield* listOpenTurns.all({ topicId })) {
    const row = yield* findTurn.first({ topicId, rootMessageId });
    const turn = row && decode(row.decided).turn;
    if (turn?.stimulus) left -= Math.max(0, turn.stimulus.replies - turn.replies);
  }
  const { maxAgentRepliesPerStimulus, maxAgentRepliesPerHumanMessage } = policy;
  // A message of a person may continue this turn; the limit of that message then counts the replies so far.
  return Math.min(left, maxAgentRepliesPerStimulus, maxAgentRepliesPerHumanMessage);
}
