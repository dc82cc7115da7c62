import {
  type ChannelEvent,
  channelTopic,
  LIMITS,
  type NewStimulus,
  type StimulusReason,
  StoaError,
  type ThreadWork,
  type TurnDecision,
} from '@stoa/protocol';
import {
  type FullStimulusRow,
  findMember,
  findMessageRow,
  findSchedule,
  findStimulus,
  type MemberRow,
  type Tx,
} from '@stoa/store';
import type { OpenChannel } from '../channels/channel-gate.js';
import { namedMember } from '../channels/member-name.js';
import { type Posted, publishMessage } from '../channels/publish-message.js';
import { memberRecord } from '../channels/records.js';
import {
  afterFailure,
  atOnce,
  doubling,
  dueAt,
  type RetryPolicy,
} from '../kernel/durable-queue.js';
import type { NewEvent } from '../kernel/log.js';
import { openTurn } from '../turns/open-turn.js';
import { afterStimulus, newWork, shownMarker } from '../work/changes.js';
import { initiativeKeyOf } from '../work/initiative.js';
import { workChanged, workIn } from '../work/read-work.js';
import type { StimulusContext } from './context.js';
import { KIND_RULES } from './kinds.js';
import { type Placement, place } from './place.js';
import { type ReadChannel, readState, repliesLeft } from './read-state.js';
import { createdOf } from './records.js';

type Post = Extract<Placement, { do: 'post' }>;

const RETRIES: RetryPolicy = { maxAttempts: LIMITS.stimulusAttempts, backoff: doubling(1_000) };
/** An attempt that a daemon did not live to finish is repeated by the next one. */
export const RETRIES_OF_LOST_CLAIMS: RetryPolicy = { ...RETRIES, backoff: atOnce };

/** What was found of a stimulus that is to be posted. */
interface Found {
  readonly row: FullStimulusRow;
  readonly stimulus: NewStimulus;
  readonly read: ReadChannel;
  readonly placement: Placement;
}

function* find(
  channel: OpenChannel,
  stimulusId: string,
  state: 'pending' | 'claimed',
  at: number,
): Tx<Found | undefined> {
  const row = yield* findStimulus.first({ topicId: channel.topicId, stimulusId });
  if (row?.state !== state) return undefined;
  const { dueAt: availableAt, expiresAt } = row;
  if (state === 'pending' && dueAt({ availableAt, expiresAt }) > at) return undefined;
  const stimulus = createdOf(row);
  const read = yield* readState(channel, stimulus, at);
  return read && { row, stimulus, read, placement: place(stimulus, read.state, read.policy, at) };
}

/**
 * The first of two commits. What is not to be posted now is settled here; what is, is claimed: the
 * attempt is counted before it is made, so that a stimulus that takes the daemon down with it is tried
 * a few times and not for ever. Returns the number of the attempt, or the key of the initiative in whose
 * thread somebody has the turn.
 */
export function* claim(
  { daemonId }: StimulusContext,
  channel: OpenChannel,
  stimulusId: string,
  at: number,
): Tx<{ events: NewEvent[]; attempt?: number; waitsFor?: string }> {
  const found = yield* find(channel, stimulusId, 'pending', at);
  if (!found) return { events: [] };
  const { placement, stimulus } = found;
  if (placement.do === 'hold' && placement.reason === 'thread_busy') {
    const waitsFor = initiativeKeyOf(stimulus);
    const isOfInitiative = stimulus.threadRootMessageId === undefined && waitsFor !== undefined;
    return { events: [], ...(isOfInitiative ? { waitsFor } : {}) };
  }
  if (placement.do !== 'post') return { events: settle(channel, found) };
  const attempt = found.row.attempts + 1;
  const data = { stimulusId, attempt, daemonId };
  return { events: [about(channel, { type: 'stimulus_claimed', data })], attempt };
}

/**
 * The second: the message, what it means for the work of its thread, that the stimulus is dispatched
 * and the turn it opens are one commit. After a crash either all of it is there or none. What lost its
 * claim meanwhile, by another daemon or a newer stimulus, does nothing.
 */
export function* dispatch(
  context: StimulusContext,
  channel: OpenChannel,
  stimulusId: string,
  attempt: number,
  at: number,
): Tx<NewEvent[]> {
  const found = yield* find(channel, stimulusId, 'claimed', at);
  if (!found || found.row.attempts !== attempt) return [];
  const { placement } = found;
  if (placement.do === 'post') return yield* materialise(context, channel, found, placement, at);
  if (placement.do !== 'hold') return settle(channel, found);
  return [deferred(channel, found.row, at, placement.reason, attempt - 1)];
}

function settle(channel: OpenChannel, { row, placement }: Found): NewEvent[] {
  const { stimulusId } = row;
  switch (placement.do) {
    case 'post':
    case 'hold':
      return [];
    case 'wait': {
      const attempts = row.state === 'claimed' ? row.attempts - 1 : row.attempts;
      return [deferred(channel, row, placement.until, placement.reason, attempts)];
    }
    case 'cancel': {
      const data = { stimulusId, state: 'cancelled' as const, reason: placement.reason };
      return [about(channel, { type: 'stimulus_settled', data })];
    }
    case 'coalesce': {
      const { messageId, stimulusId: byStimulusId } = placement;
      const data = { stimulusId, state: 'coalesced' as const, reason: 'coalesced' as const };
      return [
        about(channel, { type: 'stimulus_settled', data: { ...data, messageId, byStimulusId } }),
      ];
    }
  }
}

/** An attempt failed, or the daemon that made it is gone. */
export function* failed(
  channel: OpenChannel,
  stimulusId: string,
  error: string,
  at: number,
  policy = RETRIES,
): Tx<NewEvent[]> {
  const row = yield* findStimulus.first({ topicId: channel.topicId, stimulusId });
  if (row?.state !== 'claimed') return [];
  const { attempts } = row;
  const next = afterFailure(policy, attempts, at);
  if (next !== 'dead_letter')
    return [deferred(channel, row, next.retryAt, 'failed', attempts, error)];
  const data = { stimulusId, state: 'dead_letter' as const, reason: 'failed' as const, error };
  return [about(channel, { type: 'stimulus_settled', data })];
}

function deferred(
  channel: OpenChannel,
  { stimulusId }: FullStimulusRow,
  availableAt: number,
  reason: StimulusReason,
  attempts: number,
  error?: string,
): NewEvent {
  const why = error === undefined ? {} : { error };
  const data = { stimulusId, availableAt, attempts, reason, ...why };
  return about(channel, { type: 'stimulus_deferred', data });
}

const about = ({ channelId }: OpenChannel, event: ChannelEvent): NewEvent => ({
  topic: channelTopic(channelId),
  event,
});

function* materialise(
  context: StimulusContext,
  channel: OpenChannel,
  { stimulus, read }: Found,
  placement: Post,
  at: number,
): Tx<NewEvent[]> {
  const { stimulusId, kind, progressKey, senderSessionId, ceiling } = stimulus;
  const messageId = context.ids.next('msg');
  const rootMessageId = placement.as === 'root' ? messageId : placement.thread.rootMessageId;
  const { posted, events } = yield* publishMessage(channel, {
    messageId,
    ...(placement.as === 'reply' ? { threadRootMessageId: rootMessageId } : {}),
    author: yield* authorOf(read.sender),
    addressedMemberIds: yield* present(channel, stimulus.addressedMemberIds),
    inputItems: [{ type: 'text', text: stimulus.content }],
    metadata: {
      ...stimulus.metadata,
      stimulusId,
      stimulusKind: kind,
      ...(progressKey === undefined ? {} : { progressKey }),
      ...(placement.as === 'promotion' ? { canonicalThreadRootMessageId: rootMessageId } : {}),
    },
    ...(ceiling && { ceiling }),
  });
  const wakes = KIND_RULES[kind].wakes && placement.as !== 'promotion' && channel.sessionCount > 0;
  const replies = wakes ? yield* repliesLeft(channel.topicId, read.policy) : 0;
  const isAsked = KIND_RULES[kind].asksSender === true && senderSessionId !== undefined;
  const from = senderSessionId === undefined || isAsked ? {} : { senderSessionId };
  const turn =
    replies > 0
      ? yield* openTurn(context, channel, posted, at, {
          stimulus: { stimulusId, ...from, replies },
          ...(isAsked ? { selected: senderSessionId } : {}),
        })
      : [];
  const before = placement.as === 'root' ? undefined : yield* workIn(channel, rootMessageId, at);
  const rule = KIND_RULES[kind];
  const begun = {
    ...newWork(channel.channelId, rootMessageId, rule.topicKind, rule.status, at),
    rootPostedAt: at,
  };
  const work = afterStimulus(before ?? begun, {
    stimulus,
    status: rule.status,
    messageId,
    isPromotion: placement.as === 'promotion',
    isSourceOver: yield* isOver(stimulus),
    woken: wokenBy(turn),
    digest: context.secrets.digest(stimulus.content),
    at,
  });
  const marker =
    placement.as === 'reply' ? yield* markerToReplace(channel, before, stimulus) : undefined;
  const supersedes = marker === undefined ? {} : { supersedesMessageId: marker };
  const dispatched = { stimulusId, messageId, threadRootMessageId: rootMessageId, ...supersedes };
  return [
    ...events,
    about(channel, { type: 'stimulus_dispatched', data: dispatched }),
    workChanged('stimulus', work),
    ...turn,
  ];
}

/** A schedule tells of its last fire and its last result after it has ended. */
function* isOver({ sourceKind, sourceRef }: NewStimulus): Tx<boolean> {
  if (sourceKind !== 'schedule' || sourceRef === undefined) return false;
  return (yield* findSchedule.first({ scheduleId: sourceRef }))?.status === 'ended';
}

/** The marker that this one stands for from now on. That of somebody else stays for whatever a session says. */
function* markerToReplace(
  { topicId }: OpenChannel,
  work: ThreadWork | undefined,
  { progressKey, senderSessionId }: NewStimulus,
): Tx<string | undefined> {
  const messageId = shownMarker(work, progressKey);
  if (messageId === undefined || senderSessionId === undefined) return messageId;
  const shown = yield* findMessageRow.first({ topicId, messageId });
  return shown?.authorId === `session:${senderSessionId}` ? messageId : undefined;
}

/** Who has left meanwhile is not addressed any more. */
function* present(channel: OpenChannel, memberIds: readonly string[]): Tx<string[]> {
  const found: string[] = [];
  for (const memberId of memberIds) {
    if (yield* findMember.first({ topicId: channel.topicId, memberId })) found.push(memberId);
  }
  return found;
}

function* authorOf(sender: MemberRow | undefined): Tx<Posted['author']> {
  if (!sender) return { kind: 'system', id: 'system', displayName: 'system' };
  const { actorId, displayName } = yield* namedMember(memberRecord(sender));
  return { kind: 'agent', id: actorId, displayName };
}

function wokenBy(turn: readonly NewEvent[]): TurnDecision['granted'][number] | undefined {
  for (const { event } of turn) if (event.type === 'turn_decided') return event.data.granted[0];
  return undefined;
}

export const wordsOf = (error: unknown): string =>
  error instanceof StoaError
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error);
