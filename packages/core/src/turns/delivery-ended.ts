import { type StoredItem, textOf } from '@stoa/protocol';
import {
  findLeaseOfRun,
  findMember,
  findMemberByActor,
  findReaction,
  findRun,
  type LeaseRow,
  listEventsOfTypeBefore,
  lockChannel,
  type Tx,
  together,
} from '@stoa/store';
import type { LockedChannel } from '../channels/channel-gate.js';
import { sessionIdOf } from '../channels/member-name.js';
import { dataOf } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import { oneLine } from '../kernel/short-text.js';
import type { RunEnd } from '../runs/run-end.js';
import type { SessionContext } from '../sessions/context.js';
import { workOfRun } from '../sessions/run-facts.js';
import type { OpenSession } from '../sessions/session-gate.js';
import { unbind } from '../work/read-work.js';
import type { EndedLease } from './arbitrate.js';
import { outputOf, publishReply } from './publication.js';
import { reevaluateThread } from './reevaluate-thread.js';

/**
 * When a run with a lease ends, its output is published once and in the same commit, and the next session may speak. A
 * run that lost its lease publishes nothing: its output stays in its journal.
 */
export function* deliveryEnded(
  context: SessionContext,
  session: Pick<OpenSession, 'endedAt'>,
  runId: string,
  end: RunEnd,
): Tx<NewEvent[]> {
  const [lease, run] = yield* together(findLeaseOfRun.first({ runId }), findRun.first({ runId }));
  if (!lease || lease.endedAt !== null || !run) return [];
  const { origin, ceiling } = workOfRun(run);
  const { channelId = '' } = origin;
  const row = yield* lockChannel.first({ channelId, actorId: 'system' });
  // The channel may have been deleted.
  if (!row) return [];
  const channel = { ...row, channelId };
  const { topicId } = channel;
  const [member, output, unbound] = yield* together(
    findMemberByActor.first({ topicId, actorId: `session:${lease.sessionId}` }),
    outputOf(run, end),
    unbind(topicId, lease.rootMessageId, 'run', runId),
  );
  const maySpeak = member?.memberKind === 'session' && channel.archivedAt === null;
  const published =
    maySpeak && output.length > 0
      ? yield* publishReply(context, channel, lease, member, output, ceiling)
      : undefined;
  const change = {
    type: 'run_ended' as const,
    lease,
    ended: published
      ? { outcome: 'spoke' as const, ...failureOf(end) }
      : yield* outcomeWithoutReply(channel, lease, end, output),
    reply: published && {
      posted: published.posted,
      called: yield* sessionsOf(topicId, published.posted.addressedMemberIds),
    },
    isSessionEnded: session.endedAt !== null,
  };
  const at = context.clock.now();
  return [
    ...(published?.events ?? []),
    ...(yield* reevaluateThread(context, channel, lease.rootMessageId, change, at)),
    ...unbound,
  ];
}

function* sessionsOf(topicId: number, memberIds: readonly string[]): Tx<string[]> {
  const members = yield* together(
    ...memberIds.map((memberId) => findMember.first({ topicId, memberId })),
  );
  return members.flatMap((member) => (member && sessionIdOf(member.actorId)) ?? []);
}

type Outcome = Omit<EndedLease, 'leaseId'>;

function* outcomeWithoutReply(
  channel: LockedChannel & { readonly archivedAt: number | null },
  lease: LeaseRow,
  end: RunEnd,
  output: readonly StoredItem[],
): Tx<Outcome> {
  if (output.length > 0) {
    const reason = channel.archivedAt === null ? 'not_member' : 'channel_archived';
    return unpublished(reason, textOf(output).length);
  }
  if (end.type !== 'completed') return { outcome: end.type, ...failureOf(end) };
  const { unpublishedChars = 0, isWithheld = false } = end;
  if (isWithheld) return unpublished('not_permitted', unpublishedChars);
  return {
    outcome: (yield* hasReacted(channel, lease)) ? 'reacted' : 'abstained',
    ...(unpublishedChars === 0 ? {} : { unpublishedChars }),
  };
}

const unpublished = (reason: string, chars: number): Outcome => ({
  outcome: 'unpublished',
  reason,
  ...(chars === 0 ? {} : { unpublishedChars: chars }),
});

/** How many of the newest reactions since the grant are read. */
const MAX_REACTIONS_READ = 100;

/** Whether the session set a reaction in the channel since it got the turn, and has not removed it. */
function* hasReacted({ topicId }: LockedChannel, { sessionId, seq }: LeaseRow): Tx<boolean> {
  const page = {
    topicId,
    type: 'reaction_set',
    after: seq,
    before: Number.MAX_SAFE_INTEGER,
    limit: MAX_REACTIONS_READ,
  };
  for (const { actor, body } of yield* listEventsOfTypeBefore.all(page)) {
    if (sessionIdOf(actor) !== sessionId) continue;
    const { messageId, emoji } = dataOf('reaction_set', { body });
    if (yield* findReaction.first({ topicId, messageId, emoji, actorId: actor })) return true;
  }
  return false;
}

/** The longest text of a failure in a decision; a command that fixes it must fit. */
const DETAIL_CHARS = 500;

function failureOf(end: RunEnd): Pick<EndedLease, 'reason' | 'detail'> {
  if (end.type === 'completed') return {};
  if (end.type !== 'failed') return { reason: end.reason };
  const { code, message } = end.failure;
  const detail = oneLine(message, DETAIL_CHARS);
  return { reason: code, ...(detail === '' ? {} : { detail }) };
}
