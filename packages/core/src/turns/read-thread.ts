import {
  type AutonomyPolicy,
  LIMITS,
  type ParticipationMode,
  type StoredItem,
  type Turn,
} from '@stoa/protocol';
import {
  type FullMessageRow,
  findChannelFields,
  type LeaseWithRunRow,
  listLiveLeases,
  listReactions,
  listSessionMembers,
  listSpokenInChannel,
  listSpokenInThread,
  type SessionMemberRow,
  type SpokenRow,
  type Tx,
} from '@stoa/store';
import { defaultModeOf, policyOf, settingsOf } from '../channels/channel-settings.js';
import { sessionIdOf } from '../channels/member-name.js';
import { participationOf } from '../channels/participation.js';
import type { LockedChannel } from './context.js';
import { expertiseIn } from './expertise.js';
import type { LiveLease, Standing, ThreadState } from './thread-state.js';

/** How far back is looked for who spoke; what lies further back decides nothing. */
const THREAD_DEPTH = 200;
const CHANNEL_DEPTH = 50;

export interface ReadThread {
  readonly state: ThreadState;
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
  turn: Turn,
  origin: TurnOrigin,
): Tx<ReadThread | undefined> {
  const channel = yield* findChannelFields.first({ topicId });
  if (!channel) return undefined;
  const settings = settingsOf(channel.settings);
  const policy = policyOf(settings);
  const rootMessageId = turn.threadRootMessageId;
  const leases = yield* listLiveLeases.all({ topicId, rootMessageId });
  const spoken = yield* listSpokenInThread.all({ topicId, rootMessageId, limit: THREAD_DEPTH });
  const inThread = lastSession(spoken);
  // Who spoke last elsewhere counts only where nobody has spoken yet.
  const inChannel =
    inThread ?? lastSession(yield* listSpokenInChannel.all({ topicId, limit: CHANNEL_DEPTH }));
  const reactions = yield* listReactions.all({ topicId, messageId: origin.messageId });
  const known: Known = {
    spoken,
    inThread,
    inChannel,
    reacted: new Set(reactions.map(({ actorId }) => actorId)),
    text: origin.text,
    defaultMode: defaultModeOf(settings),
  };
  const rows = yield* listSessionMembers.all({ topicId });
  return {
    state: {
      paused: channel.paused === 1 || channel.archivedAt !== null,
      turn,
      leases: leases.map((lease) => liveLease(lease, policy)),
      standings: rows.map((row) => standingOf(row, known)),
    },
    policy,
    leases,
  };
}

export function itemsOf(row: FullMessageRow): readonly StoredItem[] {
  if (row.deletedAt !== null) return [];
  return (JSON.parse(row.edited ?? row.posted) as { inputItems: StoredItem[] }).inputItems;
}

export const textOf = (items: readonly StoredItem[]): string =>
  items.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');

interface Known {
  readonly spoken: readonly SpokenRow[];
  readonly inThread: string | undefined;
  readonly inChannel: string | undefined;
  readonly reacted: ReadonlySet<string>;
  readonly text: string;
  readonly defaultMode: ParticipationMode;
}

const lastSession = (spoken: readonly SpokenRow[]): string | undefined =>
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

/** The time of a lease begins when its run does, and again when what it asked was answered. */
function liveLease(row: LeaseWithRunRow, { leaseTimeoutMs }: AutonomyPolicy): LiveLease {
  const { leaseId, turnId, sessionId, startedAt, settledAt, status } = row;
  const phase =
    startedAt === null ? 'granted' : status?.startsWith('waiting') ? 'waiting' : 'running';
  const since = Math.max(startedAt ?? 0, settledAt ?? 0);
  return {
    leaseId,
    turnId,
    sessionId,
    phase,
    deadline: phase === 'granted' ? row.deadline : Math.max(row.deadline, since + leaseTimeoutMs),
    progressAt: Math.max(row.progressAt ?? 0, row.grantedAt),
    tokens: row.tokens,
  };
}
