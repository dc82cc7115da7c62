import {
  type Author,
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
import { publishMessage } from '../channels/publish-message.js';
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
import { decidePosting, type Posting } from './posting.js';
import { type ReadChannel, readState, repliesLeft } from './read-state.js';
import { createdOf } from './records.js';

type Post = Extract<Posting, { do: 'post' }>;

const RETRIES: RetryPolicy = { maxAttempts: LIMITS.stimulusAttempts, backoff: doubling(1_000) };
/** An attempt that its daemon did not finish is repeated at once. */
export const RETRIES_OF_LOST_CLAIMS: RetryPolicy = { ...RETRIES, backoff: atOnce };

/** A stimulus, the state of its channel, and the decision about it. */
interface Found {
  readonly row: FullStimulusRow;
  readonly stimulus: NewStimulus;
  readonly read: ReadChannel;
  readonly posting: Posting;
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
  return (
    read && { row, stimulus, read, posting: decidePosting(stimulus, read.state, read.policy, at) }
  );
}

/**
 * The first of two commits: claims a stimulus that can be posted, and settles one that cannot. The attempt is counted before
 * it is made, so a stimulus that crashes the daemon is tried a few times and not without end. Returns the number of the
 * attempt, or the key of the initiative whose thread has an open turn.
 */
export function* claim(
  { daemonId }: StimulusContext,
  channel: OpenChannel,
  stimulusId: string,
  at: number,
): Tx<{ events: NewEvent[]; attempt?: number; heldBy?: string }> {
  const found = yield* find(channel, stimulusId, 'pending', at);
  if (!found) return { events: [] };
  const { posting, stimulus } = found;
  if (posting.do === 'hold' && posting.reason === 'thread_busy') {
    const heldBy = initiativeKeyOf(stimulus);
    const isOfInitiative = stimulus.threadRootMessageId === undefined && heldBy !== undefined;
    return { events: [], ...(isOfInitiative ? { heldBy } : {}) };
  }
  if (posting.do !== 'post') return { events: settle(channel, found) };
  const attempt = found.row.attempts + 1;
  const data = { stimulusId, attempt, daemonId };
  return { events: [about(channel, { type: 'stimulus_claimed', data })], attempt };
}

/**
 * The second commit posts the message, updates the work of its thread, marks the stimulus as dispatched and opens a turn. It
 * writes nothing if another daemon or a newer stimulus took the claim in the meantime.
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
  const { posting } = found;
  if (posting.do === 'post') return yield* materialise(context, channel, found, posting, at);
  if (posting.do !== 'hold') return settle(channel, found);
  return [deferred(channel, found.row, at, posting.reason, attempt - 1)];
}

function settle(channel: OpenChannel, { row, posting }: Found): NewEvent[] {
  const { stimulusId } = row;
  switch (posting.do) {
    case 'post':
    case 'hold':
      return [];
    case 'wait': {
      const attempts = row.state === 'claimed' ? row.attempts - 1 : row.attempts;
      return [deferred(channel, row, posting.until, posting.reason, attempts)];
    }
    case 'cancel': {
      const data = { stimulusId, state: 'cancelled' as const, reason: posting.reason };
      return [about(channel, { type: 'stimulus_settled', data })];
    }
    case 'coalesce': {
      const { messageId, stimulusId: byStimulusId } = posting;
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
  posting: Post,
  at: number,
): Tx<NewEvent[]> {
  const { stimulusId, kind, progressKey, senderSessionId, ceiling } = stimulus;
  const messageId = context.ids.next('msg');
  const rootMessageId = posting.as === 'root' ? messageId : posting.thread.rootMessageId;
  const { posted, events } = yield* publishMessage(channel, {
    messageId,
    ...(posting.as === 'reply' ? { threadRootMessageId: rootMessageId } : {}),
    author: yield* authorOf(read.sender),
    addressedMemberIds: yield* present(channel, stimulus.addressedMemberIds),
    inputItems: [{ type: 'text', text: stimulus.content }],
    metadata: {
      ...stimulus.metadata,
      stimulusId,
      stimulusKind: kind,
      ...(progressKey === undefined ? {} : { progressKey }),
      ...(posting.as === 'promotion' ? { canonicalThreadRootMessageId: rootMessageId } : {}),
    },
    ...(ceiling && { ceiling }),
  });
  const wakes = KIND_RULES[kind].wakes && posting.as !== 'promotion' && channel.sessionCount > 0;
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
  const before = posting.as === 'root' ? undefined : yield* workIn(channel, rootMessageId, at);
  const rule = KIND_RULES[kind];
  const begun = {
    ...newWork(channel.channelId, rootMessageId, rule.topicKind, rule.status, at),
    rootPostedAt: at,
  };
  const work = afterStimulus(before ?? begun, {
    stimulus,
    status: rule.status,
    messageId,
    isPromotion: posting.as === 'promotion',
    isSourceOver: yield* isOver(stimulus),
    woken: wokenBy(turn),
    digest: context.secrets.digest(stimulus.content),
    at,
  });
  const marker =
    posting.as === 'reply' ? yield* markerToReplace(channel, before, stimulus) : undefined;
  const supersedes = marker === undefined ? {} : { supersedesMessageId: marker };
  const dispatched = { stimulusId, messageId, threadRootMessageId: rootMessageId, ...supersedes };
  return [
    ...events,
    about(channel, { type: 'stimulus_dispatched', data: dispatched }),
    workChanged('stimulus', work),
    ...turn,
  ];
}

/** The last reports of a schedule are posted after it has ended. */
function* isOver({ sourceKind, sourceRef }: NewStimulus): Tx<boolean> {
  if (sourceKind !== 'schedule' || sourceRef === undefined) return false;
  return (yield* findSchedule.first({ scheduleId: sourceRef }))?.status === 'ended';
}

/** The shown progress marker that this stimulus supersedes. A session supersedes only its own markers. */
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

/** Leaves out members that have left the channel. */
function* present(channel: OpenChannel, memberIds: readonly string[]): Tx<string[]> {
  const found: string[] = [];
  for (const memberId of memberIds) {
    if (yield* findMember.first({ topicId: channel.topicId, memberId })) found.push(memberId);
  }
  return found;
}

function* authorOf(sender: MemberRow | undefined): Tx<Author> {
  if (!sender) return { kind: 'system', id: 'system', displayName: 'system' };
  const { actorId, displayName } = yield* namedMember(memberRecord(sender));
  return { kind: 'agent', id: actorId, displayName };
}

function wokenBy(turn: readonly NewEvent[]): TurnDecision['granted'][number] | undefined {
  for (const { event } of turn) if (event.type === 'turn_decided') return event.data.granted[0];
  return undefined;
}

/** What the record of a stimulus says about a failed attempt. */
export const errorText = (error: unknown): string =>
  error instanceof StoaError
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error);
