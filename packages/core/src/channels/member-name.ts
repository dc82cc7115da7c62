import type { Member, PermissionMode } from '@stoa/protocol';
import { listMembers, openSession, type Tx } from '@stoa/store';
import { memberRecord } from './records.js';

/** The id of the session, if the actor is one. */
export function sessionIdOf(actorId: string): string | undefined {
  return actorId.startsWith('session:') ? actorId.slice('session:'.length) : undefined;
}

/** The members of a channel with their current names, in the order in which they joined. */
export function* namedMembers(topicId: number): Tx<Member[]> {
  const rows = yield* listMembers.all({ topicId });
  return rows.map((row) => ({
    ...named(memberRecord(row), row.nickname),
    ...(row.mode === null ? {} : { mode: row.mode as PermissionMode }),
  }));
}

export function* namedMember(member: Member): Tx<Member> {
  const sessionId = sessionIdOf(member.actorId);
  const session = sessionId === undefined ? undefined : yield* openSession.first({ sessionId });
  return named(member, session?.nickname ?? null);
}

/** A member that follows its agent has the nickname of the agent. */
function named(member: Member, nickname: string | null): Member {
  const follows = nickname !== null && member.displayNameMode === 'follow_agent';
  return follows ? { ...member, displayName: nickname } : member;
}

/** The ids of mirrored members begin with this prefix, which is reserved for them. */
export const MIRRORED_PREFIX = 'project:';
export const isMirrored = (memberId: string): boolean => memberId.startsWith(MIRRORED_PREFIX);
