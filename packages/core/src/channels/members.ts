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
import { namedIn, participationOfRequest, withoutCleared } from './participation.js';
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

/** Joins or changes a member. An actor is in a channel once; joining again keeps `joinedAt`. */
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
 * Nobody joins under a name that belongs to somebody else. Sessions of one agent may share its name: ids tell
 * them apart, and what they write is attributed by id.
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

/** What a session may do unasked, which others in its channel should know. */
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
        'Other people can read what it posts; what they ask of it runs in mode ask and is asked of the person it works for.',
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
      if (isMirrored(memberId)) throw ofProject(memberId);
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

/** Name, role and being there at all are the project's to say; how a session takes part is not. */
function ofProject(memberId: string): StoaError {
  return new StoaError(
    'member_of_project',
    `${memberId} is there for its project: change it there`,
  );
}

/** People manage themselves and their sessions; the channel's creator and the owner everybody. */
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
  if (!member)
    throw new StoaError(
      'member_not_found',
      `There is no member ${memberId} in ${channel.channelId}`,
    );
  return member;
}

function changed(
  member: Member,
  request: UpsertMember,
  metadata: Member['metadata'] | undefined,
): Member {
  if (request.memberId !== undefined && request.memberId !== member.memberId) {
    throw new StoaError(
      'invalid_request',
      `${member.actorId} is in this channel as ${member.memberId}`,
    );
  }
  assertTakesPart(member.memberKind, request);
  const { displayName, role, displayNameMode } = request;
  const renames = displayName !== undefined || role !== undefined || displayNameMode !== undefined;
  if (renames && isMirrored(member.memberId)) throw ofProject(member.memberId);
  return {
    ...withoutCleared(member, request),
    ...(displayName === undefined ? {} : { displayName, ...manualName(member) }),
    ...(role === undefined ? {} : { role }),
    ...participationOfRequest(request),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Who is given a name keeps it, unless it asks to follow again. */
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
    throw new StoaError('invalid_request', 'Ids that begin with project: are for projects');
  }
  const sessionId = sessionIdOf(actorId);
  const who = sessionId
    ? yield* newSession(principal, channel, sessionId, request)
    : yield* newHuman(channel, actorId, request);
  if (yield* findMember.first({ topicId: channel.topicId, memberId: who.memberId })) {
    throw new StoaError(
      'invalid_request',
      `The member id ${who.memberId} is taken in this channel`,
    );
  }
  assertTakesPart(who.memberKind, request);
  return {
    ...who,
    actorId,
    ...(request.role === undefined ? {} : { role: request.role }),
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
  yield* assertNotOfAPerson(memberId, human.humanId);
  return {
    memberId,
    memberKind: 'human_actor',
    displayName: request.displayName ?? human.displayName,
  };
}

/** Whoever may direct a session may bring it along: it works for that person here too. */
function* newSession(
  principal: Principal,
  channel: OpenChannel,
  sessionId: string,
  request: UpsertMember,
): Tx<Newcomer> {
  const session = yield* sessionToChange(principal, sessionId);
  assertNotEnded(session);
  const memberId = request.memberId ?? (yield* freeMemberId(channel, session.agentId));
  yield* assertNotOfAPerson(memberId);
  const { displayName = session.agentName } = request;
  const follows = displayName === session.agentName;
  // What a nickname makes of it is worked out when it is looked at.
  const ownName = session.persona.definition.displayName ?? session.agentId;
  return {
    memberId,
    memberKind: 'session',
    displayName: follows ? ownName : displayName,
    displayNameMode: follows ? 'follow_agent' : 'manual',
    ...participationOfRequest(request),
  };
}

/** The agent's id, or that with a number. */
function* freeMemberId({ topicId }: OpenChannel, agentId: string): Tx<string> {
  for (let n = 1; ; n++) {
    const memberId = n === 1 ? agentId : `${agentId}-${String(n)}`;
    if (yield* findMember.first({ topicId, memberId })) continue;
    if (yield* findHuman.first({ humanId: memberId })) continue;
    return memberId;
  }
}

/** Whoever is addressed by the id of a person is that person. */
function* assertNotOfAPerson(memberId: string, humanId?: string): Tx<void> {
  if (memberId === humanId || !(yield* findHuman.first({ humanId: memberId }))) return;
  throw new StoaError('invalid_request', `The member id ${memberId} belongs to somebody else`);
}

function assertTakesPart(memberKind: Member['memberKind'], request: UpsertMember): void {
  const given = namedIn(request);
  if (memberKind === 'session' || given === undefined) return;
  throw new StoaError('invalid_request', `Only sessions have ${given}`);
}
