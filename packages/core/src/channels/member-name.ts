import type { Member, PermissionMode } from '@stoa/protocol';
import { listMembers, openSession, type Tx } from '@stoa/store';
import { memberRecord } from './records.js';

/** The session behind an actor, if it is one. */
export function sessionIdOf(actorId: string): string | undefined {
  return actorId.startsWith('session:') ? actorId.slice('session:'.length) : undefined;
}

/** Everybody in a channel under the names they have now, in the order they joined. */
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

/** One that follows its agent is called what the agent is called. */
function named(member: Member, nickname: string | null): Member {
  const follows = nickname !== null && member.displayNameMode === 'follow_agent';
  return follows ? { ...member, displayName: nickname } : member;
}

/** Members that a project put into a channel have ids with this prefix; nobody else can give one. */
export const MIRRORED_PREFIX = 'project:';
export const isMirrored = (memberId: string): boolean => memberId.startsWith(MIRRORED_PREFIX);
