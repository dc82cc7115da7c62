import {
  actorIdOf,
  channelTopic,
  LIMITS,
  type Member,
  type PermissionMode,
  type Principal,
  StoaError,
  type UpsertMember,
} from '@stoa/protocol';
import {
  findHuman,
  findMember,
  findMemberByActor,
  listMembers as listed,
  type MemberRow,
  openSession,
  type Tx,
} from '@stoa/store';
import { assertDistinct } from '../access/confusable-names.js';
import { knownPeople } from '../access/credentials.js';
import { mayModerate } from '../access/rules.js';
import { defined } from '../kernel/defined.js';
import type { Decision } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { assertNotEnded, mayDirect, sessionToChange } from '../sessions/session-gate.js';
import {
  assertNotArchived,
  channelToChange,
  channelToRead,
  type OpenChannel,
} from './channel-gate.js';
import { type ChannelContext, MEMBER_LEFT } from './context.js';
import { isMirrored, namedMember, namedMembers, sessionIdOf } from './member-name.js';
import { participationFieldIn, participationOfRequest, withoutCleared } from './participation.js';
import { memberRecord } from './records.js';

export function listMembers(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
): Promise<Member[]> {
  return context.store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    return yield* namedMembers(topicId);
  });
}

/** Adds or changes a member. An actor is a member once; joining again keeps `joinedAt`. */
export function upsertMember(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  request: UpsertMember,
): Promise<Member> {
  const topic = channelTopic(channelId);
  const metadata = request.metadata === undefined ? undefined : admitMetadata(request.metadata);
  return context.log.write({
    actor: actorIdOf(principal),
    lane: topic,
    open: () => channelToChange(principal, channelId),
    *decide(channel, at): Tx<Decision<Member>> {
      assertNotArchived(channel);
      const actorId = request.actorId ?? actorIdOf(principal);
      const known = yield* findMemberByActor.first({ topicId: channel.topicId, actorId });
      if (known || sessionIdOf(actorId) === undefined) {
        yield* assertMayManage(principal, channel, actorId);
      }
      const member = known
        ? changed(memberRecord(known), request, metadata)
        : yield* newcomer(principal, channel, actorId, request, metadata ?? {}, at);
      if (!known || request.displayName !== undefined) yield* assertOwnName(channel, member);
      const shown = yield* namedMember(member);
      const session = yield* modeOf(member);
      return {
        events: [
          { topic, event: { type: known ? 'member_updated' : 'member_joined', data: { member } } },
        ],
        answer: () => ({ ...shown, ...session, ...warningsFor(member, session) }),
      };
    },
  });
}

/**
 * Refuses a name that belongs to another person or member. Sessions of one agent may share its name: messages identify
 * them by id.
 */
function* assertOwnName(
  { topicId }: OpenChannel,
  { actorId, memberKind, displayName, displayNameMode }: Member,
): Tx<void> {
  if (displayNameMode === 'follow_agent') return;
  const members = memberKind === 'session' ? [] : yield* listed.all({ topicId });
  assertDistinct(displayName, actorId, [
    ...(yield* knownPeople()),
    ...members.map((member) => ({
      actorId: member.actorId,
      names: [member.displayName, member.memberId],
    })),
  ]);
}

/** The permission mode of a session, which the other members should know. */
function* modeOf({ actorId }: Member): Tx<Pick<Member, 'mode'>> {
  const sessionId = sessionIdOf(actorId);
  const session = sessionId === undefined ? undefined : yield* openSession.first({ sessionId });
  return session ? { mode: session.mode as PermissionMode } : {};
}

function warningsFor(
  { displayName }: Member,
  { mode }: Pick<Member, 'mode'>,
): Pick<Member, 'warnings'> {
  if (mode === undefined || mode === 'plan' || mode === 'ask') return {};
  const does =
    mode === 'full'
      ? 'runs everything without asking'
      : 'edits files in its workspace without asking';
  return {
    warnings: [
      `${displayName} is in mode ${mode}: on your request it ${does}, here too. ` +
        'Other people can read what it posts. Their requests run in mode ask, and the person it works for decides.',
    ],
  };
}

export function removeMember(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  memberId: string,
): Promise<void> {
  const topic = channelTopic(channelId);
  return context.log.write({
    actor: actorIdOf(principal),
    lane: topic,
    open: () => channelToChange(principal, channelId),
    *decide(channel, at): Tx<Decision<void>> {
      assertNotArchived(channel);
      const member = yield* existingMember(channel, memberId);
      yield* assertMayManage(principal, channel, member.actorId);
      if (isMirrored(memberId)) throw mirroredMember(memberId);
      return {
        events: [
          { topic, event: { type: 'member_left', data: { memberId } } },
          ...(yield* context.hooks.collect(MEMBER_LEFT, channelId, member.actorId, at)),
        ],
        answer: () => undefined,
      };
    },
  });
}

/** The project determines the name, role and membership of a mirrored member, but not how a session participates. */
function mirroredMember(memberId: string): StoaError {
  return new StoaError(
    'member_of_project',
    `${memberId} is a member of a project: change it in the project`,
  );
}

/** People manage themselves and their sessions; the creator of the channel and the owner manage all members. */
function* assertMayManage(principal: Principal, channel: OpenChannel, actorId: string): Tx<void> {
  if (actorId === actorIdOf(principal) || mayModerate(principal, channel.createdBy)) return;
  const sessionId = sessionIdOf(actorId);
  const session = sessionId && (yield* openSession.first({ sessionId }));
  if (session && mayDirect(principal, session)) return;
  throw new StoaError(
    'forbidden',
    'Only the creator of the channel or the owner manages other members',
  );
}

function* existingMember(channel: OpenChannel, memberId: string): Tx<MemberRow> {
  const member = yield* findMember.first({ topicId: channel.topicId, memberId });
  if (member) return member;
  throw new StoaError('member_not_found', `There is no member ${memberId} in ${channel.channelId}`);
}

function changed(
  member: Member,
  request: UpsertMember,
  metadata: Member['metadata'] | undefined,
): Member {
  if (request.memberId !== undefined && request.memberId !== member.memberId) {
    throw new StoaError(
      'invalid_request',
      `${member.actorId} is already a member as ${member.memberId}`,
    );
  }
  assertMayParticipate(member.memberKind, request);
  const { displayName, role, displayNameMode } = request;
  const renames = displayName !== undefined || role !== undefined || displayNameMode !== undefined;
  if (renames && isMirrored(member.memberId)) throw mirroredMember(member.memberId);
  return {
    ...withoutCleared(member, request),
    ...(displayName === undefined ? {} : { displayName, ...manualName(member) }),
    ...participationOfRequest(request),
    ...defined({ role, metadata }),
  };
}

/** A session that gets a name no longer follows the name of its agent. */
const manualName = ({ memberKind }: Member) =>
  memberKind === 'session' ? { displayNameMode: 'manual' as const } : {};

function* newcomer(
  principal: Principal,
  channel: OpenChannel,
  actorId: string,
  request: UpsertMember,
  metadata: Member['metadata'],
  at: number,
): Tx<Member> {
  if (channel.memberCount >= LIMITS.membersPerChannel) {
    throw new StoaError(
      'limit_reached',
      `A channel has at most ${String(LIMITS.membersPerChannel)} members`,
    );
  }
  if (request.memberId !== undefined && isMirrored(request.memberId)) {
    throw new StoaError(
      'invalid_request',
      'Ids that begin with project: are reserved for projects',
    );
  }
  const sessionId = sessionIdOf(actorId);
  const identity = sessionId
    ? yield* newSession(principal, channel, sessionId, request)
    : yield* newHuman(channel, actorId, request);
  if (yield* findMember.first({ topicId: channel.topicId, memberId: identity.memberId })) {
    throw new StoaError(
      'invalid_request',
      `The member id ${identity.memberId} is already used in this channel`,
    );
  }
  assertMayParticipate(identity.memberKind, request);
  return {
    ...identity,
    actorId,
    ...defined({ role: request.role }),
    joinedAt: at,
    metadata,
  };
}

type Newcomer = Omit<Member, 'actorId' | 'role' | 'joinedAt' | 'metadata'>;

function* newHuman(channel: OpenChannel, actorId: string, request: UpsertMember): Tx<Newcomer> {
  const humanId = actorId.startsWith('human:') ? actorId.slice('human:'.length) : undefined;
  const human = humanId === undefined ? undefined : yield* findHuman.first({ humanId });
  if (!human) throw new StoaError('unknown_member', `There is nobody called ${actorId} here`);
  const memberId = request.memberId ?? human.humanId;
  yield* assertNotIdOfPerson(memberId, human.humanId);
  return {
    memberId,
    memberKind: 'human_actor',
    displayName: request.displayName ?? human.displayName,
  };
}

/** A person who may direct a session may add it to a channel, where it works for the same person. */
function* newSession(
  principal: Principal,
  channel: OpenChannel,
  sessionId: string,
  request: UpsertMember,
): Tx<Newcomer> {
  const session = yield* sessionToChange(principal, sessionId);
  assertNotEnded(session);
  const memberId = request.memberId ?? (yield* freeMemberId(channel, session.agentId));
  yield* assertNotIdOfPerson(memberId);
  const { displayName = session.agentName } = request;
  const follows = displayName === session.agentName;
  // Reading the member replaces this name by the nickname of the agent, if it has one.
  const ownName = session.persona.definition.displayName ?? session.agentId;
  return {
    memberId,
    memberKind: 'session',
    displayName: follows ? ownName : displayName,
    displayNameMode: follows ? 'follow_agent' : 'manual',
    ...participationOfRequest(request),
  };
}

/** The id of the agent, with a number if that id is used. */
function* freeMemberId({ topicId }: OpenChannel, agentId: string): Tx<string> {
  for (let n = 1; ; n++) {
    const memberId = n === 1 ? agentId : `${agentId}-${String(n)}`;
    if (yield* findMember.first({ topicId, memberId })) continue;
    if (yield* findHuman.first({ humanId: memberId })) continue;
    return memberId;
  }
}

/** The id of a person always addresses that person. */
function* assertNotIdOfPerson(memberId: string, humanId?: string): Tx<void> {
  if (memberId === humanId || !(yield* findHuman.first({ humanId: memberId }))) return;
  throw new StoaError('invalid_request', `The member id ${memberId} belongs to another person`);
}

function assertMayParticipate(memberKind: Member['memberKind'], request: UpsertMember): void {
  const field = participationFieldIn(request);
  if (memberKind === 'session' || field === undefined) return;
  throw new StoaError('invalid_request', `Only sessions have ${field}`);
}
