import {
  actorIdOf,
  type CreateStimulus,
  channelTopic,
  LIMITS,
  type Principal,
  type Stimulus,
  StoaError,
  stimulusKindOf,
} from '@stoa/protocol';
import { findMember, listStimuli, type Tx } from '@stoa/store';
import {
  assertNotArchived,
  channelToSpeakIn,
  type JoinedChannel,
} from '../channels/channel-gate.js';
import { resolveThread } from '../channels/thread.js';
import { dataOf } from '../kernel/codec.js';
import { hasExpired } from '../kernel/durable-queue.js';
import type { LogEntry } from '../kernel/entry.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { ceilingOfAuthor } from '../sessions/ceiling-of.js';
import { addStimulus, type Wanted } from './add-stimulus.js';
import type { StimulusContext } from './context.js';
import { KINDS_OF_AGENTS } from './kinds.js';
import { createdOf, createdRecord } from './records.js';

const HOUR_MS = 3_600_000;

/**
 * Adds a stimulus of a caller. That of a session is posted in its name; that of a person by the system, so that it does not
 * count as their message.
 */
export async function createStimulus(
  context: StimulusContext,
  by: Principal,
  channelId: string,
  request: CreateStimulus,
  key?: string,
): Promise<Stimulus> {
  const metadata = admitMetadata(request.metadata);
  const kind = stimulusKindOf(request.kind);
  if (by.kind === 'session' && !KINDS_OF_AGENTS.includes(kind)) {
    throw new StoaError('forbidden', `A session creates only ${KINDS_OF_AGENTS.join(' or ')}`);
  }
  const { scope, threadRootMessageId } = request;
  if ((scope === 'thread') !== (threadRootMessageId !== undefined)) {
    const why =
      scope === 'thread'
        ? 'A stimulus for a thread needs a threadRootMessageId'
        : 'A stimulus for the channel has no threadRootMessageId';
    throw new StoaError('invalid_stimulus', why);
  }
  return context.log.write({
    actor: actorIdOf(by),
    lane: channelTopic(channelId),
    open: () => channelToSpeakIn(by, channelId),
    *decide(channel, at): Tx<Decision<Stimulus>> {
      assertNotArchived(channel);
      if (by.kind === 'session') yield* assertNotTooMany(channel, by.id, at);
      const addressedMemberIds = [...new Set(request.addressedMemberIds)];
      yield* assertFits(channel, request, addressedMemberIds, at);
      const ceiling = yield* ceilingOfAuthor(by);
      const wanted: Wanted = {
        ...optional(request),
        kind,
        scope,
        visibilityHint: request.visibilityHint,
        content: request.content,
        addressedMemberIds,
        ...(by.kind === 'session' ? { senderSessionId: by.id } : {}),
        availableAt: Math.max(request.availableAt ?? at, at),
        metadata,
        ...(ceiling && { ceiling }),
      };
      const { stimulus, events } = yield* addStimulus(context, channel, wanted);
      return {
        events,
        answer: ([entry]) => createdRecord(channelId, entry as LogEntry, stimulus),
      };
    },
    idempotency: idempotency(context.secrets, key, { stimulus: channelId, request }, (entry) =>
      createdRecord(channelId, entry, dataOf('stimulus_created', entry)),
    ),
  });
}

/** Counts the stimuli of a session in every state. */
function* assertNotTooMany({ topicId, channelId }: JoinedChannel, sessionId: string, at: number) {
  const page = { topicId, state: null, rootMessageId: null, before: Number.MAX_SAFE_INTEGER };
  const recent = yield* listStimuli.all({ ...page, limit: LIMITS.endedStimuliPerChannel });
  const own = recent.filter(
    (row) => row.createdAt > at - HOUR_MS && createdOf(row).senderSessionId === sessionId,
  );
  if (own.length < LIMITS.stimuliOfSessionPerHour) return;
  throw new StoaError(
    'too_many_stimuli',
    `${sessionId} created ${String(own.length)} stimuli in ${channelId} within an hour`,
  );
}

function* assertFits(
  channel: JoinedChannel,
  { threadRootMessageId, expiresAt }: CreateStimulus,
  addressedMemberIds: readonly string[],
  at: number,
): Tx<void> {
  const { topicId, channelId } = channel;
  yield* resolveThread(topicId, { threadRootMessageId });
  for (const memberId of addressedMemberIds) {
    if (yield* findMember.first({ topicId, memberId })) continue;
    throw new StoaError('unknown_member', `There is no member ${memberId} in ${channelId}`);
  }
  if (hasExpired({ expiresAt }, at)) {
    throw new StoaError('invalid_stimulus', 'Its expiresAt has passed already');
  }
}

function optional(request: CreateStimulus) {
  const { threadRootMessageId, sourceKind, sourceRef, dedupeKey, progressKey, expiresAt } = request;
  return {
    ...(threadRootMessageId === undefined ? {} : { threadRootMessageId }),
    ...(sourceKind === undefined ? {} : { sourceKind }),
    ...(sourceRef === undefined ? {} : { sourceRef }),
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
    ...(progressKey === undefined ? {} : { progressKey }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
