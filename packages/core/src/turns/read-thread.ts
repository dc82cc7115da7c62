import {
  type AutonomyPolicy,
  LIMITS,
  type ParticipationMode,
  type StoredItem,
} from '@stoa/protocol';
import {
  type ChannelFieldsRow,
  type FullMessageRow,
  findChannelFields,
  findMessageRow,
  type LeaseWithRunRow,
  listAuthorsInChannel,
  listAuthorsInThread,
  listLiveLeases,
  listReactions,
  listSessionMembers,
  type SessionMemberRow,
  type SpokenRow,
  type Tx,
  together,
} from '@stoa/store';
import type { LockedChannel } from '../channels/channel-gate.js';
import { defaultModeOf, policyOf, settingsOf } from '../channels/channel-settings.js';
import { sessionIdOf } from '../channels/member-name.js';
import { participationOf } from '../channels/participation.js';
import { decode } from '../kernel/codec.js';
import { expertiseIn } from './expertise.js';
import type { LiveLease, MemberState, ThreadState } from './thread-state.js';

/** How many of the newest messages are searched for the last speakers. */
const THREAD_DEPTH = 200;
const CHANNEL_DEPTH = 50;

export interface ReadThread {
  readonly channel: ChannelFieldsRow;
  /** Without the turn, which the caller adds. */
  readonly state: Omit<ThreadState, 'turn'>;
  readonly policy: AutonomyPolicy;
  readonly leases: readonly LeaseWithRunRow[];
}

/** Reads everything that a decision about a thread depends on. `origin` is the message that opened the turn. */
export function* readThread(
  { topicId }: LockedChannel,
  rootMessageId: string,
  origin: { readonly messageId: string; readonly text: string },
): Tx<ReadThread | undefined> {
  const [channel, leases, speakers, reactions, rows] = yield* together(
    findChannelFields.first({ topicId }),
    listLiveLeases.all({ topicId, rootMessageId }),
    speakersIn(topicId, rootMessageId),
    listReactions.all({ topicId, messageId: origin.messageId }),
    listSessionMembers.all({ topicId }),
  );
  if (!channel) return undefined;
  const settings = settingsOf(channel.settings);
  const policy = policyOf(settings);
  const facts: ThreadFacts = {
    ...speakers,
    reacted: new Set(reactions.map(({ actorId }) => actorId)),
    text: origin.text,
    defaultMode: defaultModeOf(settings),
  };
  return {
    channel,
    state: {
      paused: channel.paused === 1 || channel.archivedAt !== null,
      leases: leases.map((lease) => liveLease(lease, policy)),
      members: rows.map((row) => memberState(row, facts)),
    },
    policy,
    leases,
  };
}

export function itemsOf(row: FullMessageRow): readonly StoredItem[] {
  if (row.deletedAt !== null) return [];
  return decode(row.edited ?? row.posted).inputItems;
}

interface Speakers {
  readonly spoken: readonly SpokenRow[];
  readonly inThread: string | undefined;
  readonly inChannel: string | undefined;
}

/**
 * The author of the root has spoken in the thread. The last speaker of the channel counts only if no session spoke in
 * the thread.
 */
function* speakersIn(topicId: number, rootMessageId: string): Tx<Speakers> {
  const [spoken, root] = yield* together(
    listAuthorsInThread.all({ topicId, rootMessageId, limit: THREAD_DEPTH }),
    findMessageRow.first({ topicId, messageId: rootMessageId }),
  );
  const inThread = lastSession(spoken) ?? (root && lastSession([root]));
  const inChannel =
    inThread ?? lastSession(yield* listAuthorsInChannel.all({ topicId, limit: CHANNEL_DEPTH }));
  return { spoken, inThread, inChannel };
}

interface ThreadFacts extends Speakers {
  readonly reacted: ReadonlySet<string>;
  readonly text: string;
  readonly defaultMode: ParticipationMode;
}

const lastSession = (spoken: readonly Pick<SpokenRow, 'authorId'>[]): string | undefined =>
  spoken.find(({ authorId }) => sessionIdOf(authorId) !== undefined)?.authorId;

function memberState(row: SessionMemberRow, facts: ThreadFacts): MemberState {
  const { memberId, actorId, role } = row;
  const { participationMode, muted = false, expertiseTags } = participationOf(row.settings);
  const spokeAt = facts.spoken.find(({ authorId }) => authorId === actorId)?.createdAt;
  return {
    memberId,
    sessionId: sessionIdOf(actorId) ?? actorId,
    mode: participationMode ?? facts.defaultMode,
    muted,
    unavailable: unavailability(row),
    expertise: expertiseIn(facts.text, {
      ...(expertiseTags === undefined ? {} : { expertiseTags }),
      ...(role === null ? {} : { role }),
    }),
    spokeAt,
    isLastInThread: facts.inThread === actorId,
    isLastInChannel: facts.inThread === undefined && facts.inChannel === actorId,
    reactedSinceOrigin: facts.reacted.has(actorId),
    liveRuns: row.liveRuns,
  };
}

function unavailability(row: SessionMemberRow) {
  const { sessionTopicId, endedAt, liveRuns, waitingItems } = row;
  if (sessionTopicId === null || endedAt !== null) return 'session_ended' as const;
  const isFull =
    liveRuns >= LIMITS.queuedRunsPerSession || waitingItems >= LIMITS.waitingItemsPerSession;
  return isFull ? ('inbox_full' as const) : undefined;
}

/**
 * The time of a lease starts with its run, and again when an approval is settled. Before that, the deadline is the
 * time by which the run must start; a later deadline in the row is a renewal.
 */
function liveLease(row: LeaseWithRunRow, policy: AutonomyPolicy): LiveLease {
  const { leaseTimeoutMs, claimTimeoutMs } = policy;
  const { leaseId, turnId, sessionId, startedAt, settledAt } = row;
  const phase = livePhaseOf(row);
  const since = Math.max(startedAt ?? 0, settledAt ?? 0);
  const renewedTo = row.deadline > (startedAt ?? 0) + claimTimeoutMs ? row.deadline : 0;
  return {
    leaseId,
    turnId,
    sessionId,
    phase,
    deadline: phase === 'granted' ? row.deadline : Math.max(renewedTo, since + leaseTimeoutMs),
    progressAt: Math.max(row.progressAt ?? 0, row.activeAt ?? 0, row.grantedAt),
    tokens: row.tokens,
  };
}

export function livePhaseOf({ startedAt, status }: LeaseWithRunRow): LiveLease['phase'] {
  if (startedAt === null) return 'granted';
  return status?.startsWith('waiting') ? 'waiting' : 'running';
}
