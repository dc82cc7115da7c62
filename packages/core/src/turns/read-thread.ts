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
  listLiveLeases,
  listReactions,
  listSessionMembers,
  listSpokenInChannel,
  listSpokenInThread,
  type SessionMemberRow,
  type SpokenRow,
  type Tx,
  together,
} from '@stoa/store';
import { defaultModeOf, policyOf, settingsOf } from '../channels/channel-settings.js';
import { sessionIdOf } from '../channels/member-name.js';
import { participationOf } from '../channels/participation.js';
import { decode } from '../kernel/codec.js';
import type { LockedChannel } from './context.js';
import { expertiseIn } from './expertise.js';
import type { LiveLease, Standing, ThreadState } from './thread-state.js';

/** How far back is looked for who spoke; what lies further back decides nothing. */
const THREAD_DEPTH = 200;
const CHANNEL_DEPTH = 50;

export interface ReadThread {
  readonly channel: ChannelFieldsRow;
  /** All but the turn, which is who asks for it. */
  readonly around: Omit<ThreadState, 'turn'>;
  readonly policy: AutonomyPolicy;
  readonly leases: readonly LeaseWithRunRow[];
}

/** The message a turn answers, as far as deciding needs it. */
export interface TurnOrigin {
  readonly messageId: string;
  readonly text: string;
}

/** Everything that a decision about a thread depends on. */
export function* readThread(
  { topicId }: LockedChannel,
  rootMessageId: string,
  origin: TurnOrigin,
): Tx<ReadThread | undefined> {
  const [channel, leases, voices, reactions, rows] = yield* together(
    findChannelFields.first({ topicId }),
    listLiveLeases.all({ topicId, rootMessageId }),
    voicesIn(topicId, rootMessageId),
    listReactions.all({ topicId, messageId: origin.messageId }),
    listSessionMembers.all({ topicId }),
  );
  if (!channel) return undefined;
  const settings = settingsOf(channel.settings);
  const policy = policyOf(settings);
  const known: Known = {
    ...voices,
    reacted: new Set(reactions.map(({ actorId }) => actorId)),
    text: origin.text,
    defaultMode: defaultModeOf(settings),
  };
  return {
    channel,
    around: {
      paused: channel.paused === 1 || channel.archivedAt !== null,
      leases: leases.map((lease) => liveLease(lease, policy)),
      standings: rows.map((row) => standingOf(row, known)),
    },
    policy,
    leases,
  };
}

export function itemsOf(row: FullMessageRow): readonly StoredItem[] {
  if (row.deletedAt !== null) return [];
  return decode(row.edited ?? row.posted).inputItems;
}

interface Voices {
  readonly spoken: readonly SpokenRow[];
  readonly inThread: string | undefined;
  readonly inChannel: string | undefined;
}

/** The root counts as said in the thread. Who spoke last elsewhere counts only where nobody has spoken yet. */
function* voicesIn(topicId: number, rootMessageId: string): Tx<Voices> {
  const [spoken, root] = yield* together(
    listSpokenInThread.all({ topicId, rootMessageId, limit: THREAD_DEPTH }),
    findMessageRow.first({ topicId, messageId: rootMessageId }),
  );
  const inThread = lastSession(spoken) ?? (root && lastSession([root]));
  const inChannel =
    inThread ?? lastSession(yield* listSpokenInChannel.all({ topicId, limit: CHANNEL_DEPTH }));
  return { spoken, inThread, inChannel };
}

interface Known extends Voices {
  readonly reacted: ReadonlySet<string>;
  readonly text: string;
  readonly defaultMode: ParticipationMode;
}

const lastSession = (spoken: readonly Pick<SpokenRow, 'authorId'>[]): string | undefined =>
  spoken.find(({ authorId }) => sessionIdOf(authorId) !== undefined)?.authorId;

function standingOf(row: SessionMemberRow, known: Known): Standing {
  const { memberId, actorId, role } = row;
  const { participationMode, muted = false, expertiseTags } = participationOf(row.settings);
  const spokeAt = known.spoken.find(({ authorId }) => authorId === actorId)?.createdAt;
  return {
    memberId,
    sessionId: sessionIdOf(actorId) ?? actorId,
    mode: participationMode ?? known.defaultMode,
    muted,
    unavailable: unavailability(row),
    expertise: expertiseIn(known.text, {
      ...(expertiseTags === undefined ? {} : { expertiseTags }),
      ...(role === null ? {} : { role }),
    }),
    spokeAt,
    isLastInThread: known.inThread === actorId,
    isLastInChannel: known.inThread === undefined && known.inChannel === actorId,
    reactedSinceOrigin: known.reacted.has(actorId),
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
 * The time of a lease begins when its run does, and again when what it asked was answered. The time to start the run
 * does not lengthen it: what the row says counts where the lease was renewed since.
 */
function liveLease(row: LeaseWithRunRow, policy: AutonomyPolicy): LiveLease {
  const { leaseTimeoutMs, claimTimeoutMs } = policy;
  const { leaseId, turnId, sessionId, startedAt, settledAt, status } = row;
  const phase =
    startedAt === null ? 'granted' : status?.startsWith('waiting') ? 'waiting' : 'running';
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
