import { channelTopic, LIMITS, type Member, type ProjectMember, StoaError } from '@stoa/protocol';
import { findMember, findMemberByActor, findMirroredElsewhere, type Tx } from '@stoa/store';
import type { OpenChannel } from '../channels/channel-gate.js';
import { MIRRORED_PREFIX } from '../channels/member-name.js';
import { memberRecord } from '../channels/records.js';
import type { NewEvent } from '../kernel/log.js';
import { projectMemberRecord } from './records.js';

/*
 * Members of a project in the channels that mirror them. An actor is in a channel once: an actor who joined directly is not
 * mirrored until they leave; if two projects have the same member, the first one mirrors it, and the other takes over when
 * the first stops. Mirroring is part of the commit that causes it, so project and channel never differ.
 */

const mirroredId = (projectId: string, memberId: string): string =>
  `${MIRRORED_PREFIX}${projectId}:${memberId}`;

/** Adds members to a channel, or updates their names and roles there. */
export function* mirrorInto(
  projectId: string,
  channel: OpenChannel,
  members: readonly ProjectMember[],
  at: number,
): Tx<NewEvent[]> {
  const { topicId, channelId } = channel;
  const topic = channelTopic(channelId);
  const events: NewEvent[] = [];
  let room = LIMITS.membersPerChannel - channel.memberCount;
  for (const member of members) {
    const known = yield* findMemberByActor.first({ topicId, actorId: member.actorId });
    if (!known) {
      if (room <= 0) throw tooMany(channelId);
      room -= 1;
      const joined = mirroredMember(projectId, member, at);
      events.push({ topic, event: { type: 'member_joined', data: { member: joined } } });
    } else if (known.memberId === mirroredId(projectId, member.memberId)) {
      const now = memberRecord(known);
      if (now.displayName === member.displayName && now.role === member.role) continue;
      const { role: _, ...rest } = now;
      const updated = { ...rest, ...nameAndRole(member) };
      events.push({ topic, event: { type: 'member_updated', data: { member: updated } } });
    }
  }
  return events;
}

/** Removes the members that this project mirrors from a channel. */
export function* removeMirrored(
  { projectId, topicId: projectTopicId }: { readonly projectId: string; readonly topicId: number },
  { topicId, channelId }: OpenChannel,
  members: readonly ProjectMember[],
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { memberId, actorId } of members) {
    const id = mirroredId(projectId, memberId);
    if (!(yield* findMember.first({ topicId, memberId: id }))) continue;
    events.push({
      topic: channelTopic(channelId),
      event: { type: 'member_left', data: { memberId: id } },
    });
    events.push(...(yield* takeOver(channelId, actorId, projectTopicId, at)));
  }
  return events;
}

/** An actor who leaves a channel and is a member of a project that mirrors there, becomes a mirrored member. */
export function* takeOver(
  channelId: string,
  actorId: string,
  exceptTopicId: number,
  at: number,
): Tx<NewEvent[]> {
  const row = yield* findMirroredElsewhere.first({ channelId, actorId, exceptTopicId });
  if (!row) return [];
  const member = mirroredMember(row.projectId, projectMemberRecord(row), at);
  return [{ topic: channelTopic(channelId), event: { type: 'member_joined', data: { member } } }];
}

/** A mirrored session gets turns only when it is addressed: project members do not answer every message. */
function mirroredMember(projectId: string, member: ProjectMember, at: number): Member {
  const { memberId, memberKind, actorId } = member;
  return {
    memberId: mirroredId(projectId, memberId),
    memberKind,
    actorId,
    ...nameAndRole(member),
    ...(memberKind === 'session'
      ? { displayNameMode: 'manual' as const, participationMode: 'manual_only' as const }
      : {}),
    joinedAt: at,
    metadata: {},
  };
}

const nameAndRole = ({ displayName, role }: ProjectMember) => ({
  displayName,
  ...(role === undefined ? {} : { role }),
});

function tooMany(channelId: string): StoaError {
  const max = String(LIMITS.membersPerChannel);
  return new StoaError('limit_reached', `${channelId} would have more than ${max} members`);
}
