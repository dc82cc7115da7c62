import {
  actorIdOf,
  channelTopic,
  LIMITS,
  type Member,
  type Principal,
  StoaError,
  type UpsertMember,
} from '@stoa/protocol';
import {
  findHuman,
  findMember,
  findMemberByActor,
  listMembers as listRows,
  type MemberRow,
  type Tx,
} from '@stoa/store';
import {
  assertNotArchived,
  channelToChange,
  channelToRead,
  type OpenChannel,
} from '../access/gate.js';
import { mayModerate } from '../access/rules.js';
import type { Decision } from '../log/log.js';
import type { ChannelContext } from './context.js';
import { admitMetadata } from './metadata.js';
import { memberRecord } from './records.js';

export function listMembers(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
): Promise<Member[]> {
  return context.store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    return (yield* listRows.all({ topicId })).map(memberRecord);
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
      assertMayManage(principal, channel, actorId);
      const known = yield* findMemberByActor.first({ topicId: channel.topicId, actorId });
      const member = known
        ? changed(memberRecord(known), request, metadata)
        : yield* newcomer(channel, actorId, request, metadata ?? {}, at);
      return {
        events: [
          { topic, event: { type: known ? 'member_updated' : 'member_joined', data: { member } } },
        ],
        answer: () => member,
      };
    },
  });
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
    *decide(channel): Tx<Decision<void>> {
      assertNotArchived(channel);
      const member = yield* existingMember(channel, memberId);
      assertMayManage(principal, channel, member.actorId);
      return {
        events: [{ topic, event: { type: 'member_left', data: { memberId } } }],
        answer: () => undefined,
      };
    },
  });
}

function assertMayManage(principal: Principal, channel: OpenChannel, actorId: string): void {
  if (actorId === actorIdOf(principal) || mayModerate(principal, channel.createdBy)) return;
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
  return {
    ...member,
    ...(request.displayName === undefined ? {} : { displayName: request.displayName }),
    ...(request.role === undefined ? {} : { role: request.role }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function* newcomer(
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
  const humanId = actorId.startsWith('human:') ? actorId.slice('human:'.length) : undefined;
  const human = humanId === undefined ? undefined : yield* findHuman.first({ humanId });
  if (!human) throw new StoaError('unknown_member', `There is nobody called ${actorId} here`);
  const memberId = request.memberId ?? human.humanId;
  // Whoever is addressed by the id of a person is that person.
  if (memberId !== human.humanId && (yield* findHuman.first({ humanId: memberId }))) {
    throw new StoaError('invalid_request', `The member id ${memberId} belongs to somebody else`);
  }
  if (yield* findMember.first({ topicId: channel.topicId, memberId })) {
    throw new StoaError('invalid_request', `The member id ${memberId} is taken in this channel`);
  }
  return {
    memberId,
    memberKind: 'human_actor',
    actorId,
    displayName: request.displayName ?? human.displayName,
    ...(request.role === undefined ? {} : { role: request.role }),
    joinedAt: at,
    metadata,
  };
}
