import { type Member, StoaError } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import { namedMembers, sessionIdOf } from '../member-name.js';
import type { CommandCall } from './command.js';

export interface NamedSession {
  readonly memberId: string;
  readonly name: string;
  readonly sessionId: string;
}

/** The agent that a command names by its id or its name. A name that two members share is refused. */
export function* sessionNamed({ channel }: CommandCall, given: string): Tx<NamedSession> {
  const wanted = given.replace(/^@/, '').toLowerCase();
  const members = yield* namedMembers(channel.topicId);
  const byId = members.filter(({ memberId }) => memberId.toLowerCase() === wanted);
  const byName = members.filter(({ displayName }) => displayName.toLowerCase() === wanted);
  const [member, another] = byId.length > 0 ? byId : byName;
  if (!member || another) {
    const why = another
      ? `Several members have the name ${given}`
      : `There is no member ${given} here`;
    throw new StoaError('unknown_member', `${why}. Agents here: ${agentsOf(members)}`);
  }
  const sessionId = sessionIdOf(member.actorId);
  if (sessionId === undefined) {
    throw new StoaError(
      'unknown_member',
      `${given} is a person. Agents here: ${agentsOf(members)}`,
    );
  }
  return { memberId: member.memberId, name: member.displayName, sessionId };
}

const agentsOf = (members: readonly Member[]): string =>
  members
    .filter(({ memberKind }) => memberKind === 'session')
    .slice(0, 20)
    .map(({ memberId }) => memberId)
    .join(', ') || 'none';
