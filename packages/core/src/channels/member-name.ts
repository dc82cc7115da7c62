import type { Member } from '@stoa/protocol';
import { listMembers, type MemberRow, openSession, type Tx } from '@stoa/store';
import { agentNameOf, personaOf } from '../access/session-gate.js';
import { memberRecord } from './records.js';

/** The session behind an actor, if it is one. */
export function sessionIdOf(actorId: string): string | undefined {
  return actorId.startsWith('session:') ? actorId.slice('session:'.length) : undefined;
}

/** A member under the name it has now: one that follows its agent is called what the agent is called. */
export function* namedMember(row: MemberRow): Tx<Member> {
  const member = memberRecord(row);
  const sessionId = sessionIdOf(member.actorId);
  if (sessionId === undefined || member.displayNameMode !== 'follow_agent') return member;
  const session = yield* openSession.first({ sessionId });
  if (!session) return member;
  return { ...member, displayName: agentNameOf(session, personaOf(session.persona)) };
}

/** Everybody in a channel, in the order they joined. */
export function* namedMembers(topicId: number): Tx<Member[]> {
  const members: Member[] = [];
  for (const row of yield* listMembers.all({ topicId })) members.push(yield* namedMember(row));
  return members;
}
