import type { AutonomyPolicy, ChannelEvent, ParticipationMode, Turn } from '@stoa/protocol';

/** What a channel is, worked out from its log by other means than the daemon's. */
export interface ChannelModel {
  readonly policy: AutonomyPolicy;
  paused: boolean;
  archived: boolean;
  /** Sessions only, by member id. */
  readonly members: Map<string, SpeakingMember>;
  readonly messages: Map<string, KnownMessage>;
  readonly threads: Map<string, ThreadModel>;
  readonly leases: Map<string, LeaseModel>;
  /** By run. */
  readonly leaseOfRun: Map<string, LeaseModel>;
}

export interface SpeakingMember {
  readonly memberId: string;
  readonly sessionId: string;
  readonly muted: boolean;
  readonly mode: ParticipationMode;
}

export interface KnownMessage {
  readonly messageId: string;
  readonly rootMessageId: string;
  readonly isHuman: boolean;
  readonly authorId: string;
  readonly addressed: readonly string[];
  /** How often agents answered it in their turns. */
  answers: number;
}

export interface LeaseModel {
  readonly leaseId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly rootMessageId: string;
  readonly originMessageId: string;
  /** The message it replies to: the one that called it, or the one that opened the turn. */
  readonly replyTo: string | undefined;
  /** How often the message that it answers may be answered. */
  readonly maxReplies: number;
  readonly grantedAt: number;
  deadline: number;
  isLive: boolean;
  hasSpoken: boolean;
}

/** The thread as it is in its latest turn. */
export interface ThreadModel {
  readonly rootMessageId: string;
  turn: Turn;
  replies: number;
  runs: number;
  /** Of runs of this turn that began. */
  readonly started: Set<string>;
  /** Sessions that had this turn. */
  readonly served: Set<string>;
  /** Sessions that the last reply names. */
  readonly called: Set<string>;
  /** That reply. */
  calledBy: string | undefined;
  readonly live: Map<string, LeaseModel>;
}

export const newChannelModel = (policy: AutonomyPolicy): ChannelModel => ({
  policy,
  paused: false,
  archived: false,
  members: new Map(),
  messages: new Map(),
  threads: new Map(),
  leases: new Map(),
  leaseOfRun: new Map(),
});

export const sessionOf = (actorId: string): string | undefined =>
  actorId.startsWith('session:') ? actorId.slice('session:'.length) : undefined;

/** What an event does that is no decision. */
export function applyEvent(model: ChannelModel, { type, data }: ChannelEvent): void {
  switch (type) {
    case 'channel_updated':
      model.paused = data.paused ?? model.paused;
      break;
    case 'channel_archived':
      model.archived = true;
      break;
    case 'channel_unarchived':
      model.archived = false;
      break;
    case 'member_joined':
    case 'member_updated': {
      const { memberId, actorId, muted = false, participationMode } = data.member;
      const sessionId = sessionOf(actorId);
      if (sessionId === undefined) break;
      const mode = participationMode ?? 'selected_only';
      model.members.set(memberId, { memberId, sessionId, muted, mode });
      break;
    }
    case 'member_left':
      model.members.delete(data.memberId);
      break;
    case 'message_posted':
      model.messages.set(data.messageId, {
        messageId: data.messageId,
        rootMessageId: data.threadRootMessageId ?? data.messageId,
        isHuman: data.author.kind === 'human',
        authorId: data.author.id,
        addressed: data.addressedMemberIds,
        answers: 0,
      });
      break;
    default:
      break;
  }
}

/** The limits of a turn. A turn that a stimulus opened has its own budget, with one additional run. */
export function boundsIn({ stimulus }: Turn, policy: AutonomyPolicy) {
  if (stimulus) return { replies: stimulus.replies, runs: stimulus.replies + 1 };
  const { maxAgentRepliesPerHumanMessage: replies, maxStartedRunsPerHumanMessage: runs } = policy;
  return { replies, runs };
}

/** How many more could speak. */
export function roomIn(model: ChannelModel, thread: ThreadModel): number {
  const { policy } = model;
  if (model.paused || model.archived || isOverTokens(thread.turn, policy)) return 0;
  const { replies, runs } = boundsIn(thread.turn, policy);
  return Math.min(
    policy.maxParallelPublicSpeakers - thread.live.size,
    replies - thread.replies - ownSpeakers(thread),
    runs - thread.runs,
  );
}

/** Who still answers an earlier turn takes none of the replies of this one. */
export const ownSpeakers = ({ live, turn }: ThreadModel): number =>
  [...live.values()].filter(({ turnId }) => turnId === turn.turnId).length;

const isOverTokens = ({ tokens }: Turn, { tokensPerTurn }: AutonomyPolicy): boolean =>
  tokensPerTurn !== undefined && tokens >= tokensPerTurn;
