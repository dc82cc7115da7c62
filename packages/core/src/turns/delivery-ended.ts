import type { StoredItem, Turn, TurnDecision } from '@stoa/protocol';
import {
  type FullRunRow,
  findLeaseOfRun,
  findMember,
  findMemberByActor,
  findMessage,
  findReaction,
  findRun,
  findTurn,
  type LeaseRow,
  listEventsOfTypeBefore,
  type Tx,
  together,
} from '@stoa/store';
import { sessionIdOf } from '../channels/member-name.js';
import type { Posted } from '../channels/publish-message.js';
import { dataOf, decode } from '../kernel/codec.js';
import { textOf } from '../kernel/item-text.js';
import type { NewEvent } from '../kernel/log.js';
import type { RunEnd } from '../runs/run-end.js';
import type { SessionContext } from '../sessions/context.js';
import { workOfRun } from '../sessions/run-facts.js';
import type { OpenSession } from '../sessions/session-gate.js';
import { unbound as noLongerBound } from '../work/unbound.js';
import { arbitrate, served } from './arbitrate.js';
import { carryOut, toAnswerStored } from './carry-out.js';
import type { LockedChannel } from './context.js';
import { outputOf, postOf } from './publication.js';
import { itemsOf, readThread } from './read-thread.js';

/**
 * What the end of a run means for the thread it had the turn in: what it emitted is published, once and
 * in the same commit, and the next may speak. A run that lost its lease before publishes nothing: what
 * it said stays in its journal.
 */
export function* deliveryEnded(
  context: SessionContext,
  openLocked: (
    channelId: string,
  ) => Tx<(LockedChannel & { archivedAt: number | null }) | undefined>,
  session: Pick<OpenSession, 'endedAt'>,
  runId: string,
  end: RunEnd,
): Tx<NewEvent[]> {
  const [lease, run] = yield* together(findLeaseOfRun.first({ runId }), findRun.first({ runId }));
  if (!lease || lease.endedAt !== null) return [];
  const { origin, ceiling } = workOfRun(run);
  const channel = yield* openLocked(origin.channelId ?? '');
  if (!run || !channel) return [];
  const at = context.clock.now();
  const { topicId } = channel;
  const [member, output, unbound] = yield* together(
    findMemberByActor.first({ topicId, actorId: `session:${lease.sessionId}` }),
    outputOf(run, end),
    noLongerBound(topicId, lease.rootMessageId, 'run', runId),
  );
  const maySpeak = member?.memberKind === 'session' && channel.archivedAt === null;
  const published =
    maySpeak && output.length > 0
      ? yield* postOf(context, channel, lease, member, output, ceiling)
      : undefined;
  const posted = published?.posted;
  const how: Omit<EndedLease, 'leaseId'> = posted
    ? { outcome: 'spoke', ...failureOf(end) }
    : yield* howEnded(channel, lease, end, output);
  const isGone = session.endedAt !== null;
  const ended = { how, posted, isGone, at };
  return [
    ...(published?.events ?? []),
    ...(yield* goOn(context, channel, lease, run, ended)),
    ...unbound,
  ];
}

type EndedLease = TurnDecision['ended'][number];

/** What a run that published nothing did with its turn. */
function* howEnded(
  channel: LockedChannel & { archivedAt: number | null },
  lease: LeaseRow,
  end: RunEnd,
  output: readonly StoredItem[],
): Tx<Omit<EndedLease, 'leaseId'>> {
  const unpublished = (reason: string, chars: number): Omit<EndedLease, 'leaseId'> => ({
    outcome: 'unpublished',
    reason,
    ...(chars === 0 ? {} : { unpublishedChars: chars }),
  });
  // It had something to say: only the place was gone.
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

/** Of more than these since it was given the turn, the newest are looked at. */
const REACTIONS_SEEN = 100;

/** Whether it reacted to anything here while it had the turn, and left it at that. */
function* hasReacted({ topicId }: LockedChannel, { sessionId, seq }: LeaseRow): Tx<boolean> {
  const type = 'reaction_set';
  const page = {
    topicId,
    type,
    after: seq,
    before: Number.MAX_SAFE_INTEGER,
    limit: REACTIONS_SEEN,
  };
  for (const { actor, body } of yield* listEventsOfTypeBefore.all(page)) {
    if (sessionIdOf(actor) !== sessionId) continue;
    const { messageId, emoji } = dataOf('reaction_set', { body });
    if (yield* findReaction.first({ topicId, messageId, emoji, actorId: actor })) return true;
  }
  return false;
}

/** The longest text of a failure in a decision, on one line; the command that fixes it has to fit. */
const DETAIL_CHARS = 500;

/** What kept the run from its work. */
function failureOf(end: RunEnd): Pick<EndedLease, 'reason' | 'detail'> {
  if (end.type === 'completed') return {};
  if (end.type !== 'failed') return { reason: end.reason };
  const { code, message } = end.failure;
  const line = message.replace(/\s+/g, ' ').trim();
  const detail =
    line.length <= DETAIL_CHARS ? line : `${line.slice(0, DETAIL_CHARS - 1).toWellFormed()}…`;
  return { reason: code, ...(detail === '' ? {} : { detail }) };
}

interface Ended {
  readonly how: Omit<EndedLease, 'leaseId'>;
  readonly posted: Posted | undefined;
  /** Its session ends in the same commit. */
  readonly isGone: boolean;
  readonly at: number;
}

/** Ends the lease and looks who is next. */
function* goOn(
  context: SessionContext,
  channel: LockedChannel,
  lease: LeaseRow,
  run: FullRunRow,
  { how, posted, isGone, at }: Ended,
): Tx<NewEvent[]> {
  const { topicId } = channel;
  const row = yield* findTurn.first({ topicId, rootMessageId: lease.rootMessageId });
  if (!row) return [];
  const before = decode(row.decided).turn;
  const turn = yield* charged(channel, before, lease, run, posted);
  const messageId = turn.originMessageId;
  const message = yield* findMessage.first({ topicId, messageId });
  const inputItems = message ? itemsOf(message) : [];
  const thread = yield* readThread(channel, lease.rootMessageId, {
    messageId,
    text: textOf(inputItems),
  });
  if (!thread) return [];
  const isOther = ({ leaseId }: { leaseId: string }): boolean => leaseId !== lease.leaseId;
  const state = {
    ...thread.around,
    turn,
    leases: thread.around.leases.filter(isOther),
    standings: thread.around.standings.map((standing) => {
      const isSpeaker = standing.sessionId === lease.sessionId;
      return {
        ...standing,
        // Its message is in this commit.
        ...(posted ? { isLastInThread: isSpeaker } : {}),
        ...(posted && isSpeaker ? { spokeAt: at } : {}),
        ...(isGone && isSpeaker ? { unavailable: 'session_ended' as const } : {}),
      };
    }),
  };
  const decided = arbitrate(state, thread.policy, at);
  const ended = { leaseId: lease.leaseId, memberId: lease.memberId, ...how };
  const decisions = { ...decided, ends: [ended, ...decided.ends] };
  return yield* carryOut(context, {
    channel,
    thread: { ...thread, leases: thread.leases.filter(isOther) },
    turn,
    decisions,
    trigger: { type: 'run_ended', runId: run.runId },
    toAnswer: toAnswerStored(messageId, message, inputItems),
    unheard: posted && { ...posted, at },
    at,
  });
}

const tokensOf = ({ inputTokens, outputTokens }: FullRunRow): number =>
  (inputTokens ?? 0) + (outputTokens ?? 0);

/** The turn with what the run did to it. */
function* charged(
  { topicId }: LockedChannel,
  turn: Turn,
  lease: LeaseRow,
  run: FullRunRow,
  posted: Posted | undefined,
): Tx<Turn> {
  const after = served(turn, lease);
  const called: string[] = [];
  for (const memberId of posted?.addressedMemberIds ?? []) {
    const member = yield* findMember.first({ topicId, memberId });
    const sessionId = member && sessionIdOf(member.actorId);
    if (sessionId !== undefined) called.push(sessionId);
  }
  const { closedAt: _, outcome: __, ...open } = after;
  const isOwn = lease.turnId === turn.turnId;
  // A run of an earlier turn was paid for there.
  const own = isOwn ? 1 : 0;
  return {
    ...open,
    replies: turn.replies + (posted ? own : 0),
    tokens: turn.tokens + own * tokensOf(run),
    ...(posted && (isOwn || !isAnyoneAwaited(turn))
      ? { called, calledByMessageId: posted.messageId }
      : {}),
  };
}

/** Members that a person named go before members that an answer to an earlier message names. */
const isAnyoneAwaited = ({ selected, served: had }: Turn): boolean =>
  selected.some((sessionId) => !had.includes(sessionId));
