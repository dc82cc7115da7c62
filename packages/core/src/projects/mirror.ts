import { channelTopic, LIMITS, type Member, type ProjectMember, StoaError } from '@stoa/protocol';
import { findMember, findMemberByActor, findMirroredElsewhere, type Tx } from '@stoa/store';
import type { OpenChannel } from '../channels/channel-gate.js';
import { MIRRORED_PREFIX } from '../channels/member-name.js';
import { memberRecord } from '../channels/records.js';
import type { NewEvent } from '../kernel/log.js';
import { projectMemberRecord } from './records.js';

/*
 * Members of a project in the channels it mirrors them into. An actor is in a channel once: whoever is
 * there on their own stays as they are, and is mirrored when they leave; of two projects with the same
 * member the first has it there, and the other takes over when the first lets go. All of it happens in
 * the commit of what it follows from, so there is no moment at which the two disagree.
 */

const mirroredId = (projectId: string, memberId: string): string =>
  `${MIRRORED_PREFIX}${projectId}:${memberId}`;

/** Brings members into a channel, or their names and roles up to date there. */
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

/** Takes members out of a channel again: those that this project brought, and no others. */
export function* takeOut(
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

/** Who leaves a channel and is a member of a project that mirrors into it comes back as that. */
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

/** It is spoken to by hand only: to be in a project is not to be asked whenever somebody says something. */
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
  const most = String(LIMITS.membersPerChannel);
  return new StoaError('limit_reached', `${channelId} would have more than ${most} members`);
}
