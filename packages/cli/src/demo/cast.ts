import { type Client, StoaProblem } from '@stoa/client';
import type { Member } from '@stoa/protocol';

/** Where the demonstration is played, and by whom. */
export interface Cast {
  readonly channelId: string;
  readonly members: readonly Member[];
}

const LOBBY = 'lobby';

/**
 * Those who live in the lobby of this daemon, as long as they are scripts: a demonstration asks no
 * model that somebody pays for. Undefined where there are none.
 */
export async function findResidents(client: Client): Promise<readonly Member[] | undefined> {
  try {
    const residents: Member[] = [];
    for (const member of await client.members.list(LOBBY)) {
      if (member.memberKind !== 'session' || !RESIDENTS.includes(member.memberId)) continue;
      const agent = await client.agents.get(member.memberId);
      if (agent.definition?.driver.kind === 'script') residents.push(member);
    }
    return residents.length === RESIDENTS.length ? residents : undefined;
  } catch (error) {
    if (error instanceof StoaProblem && MISSING.includes(error.code)) return undefined;
    throw error;
  }
}

/** Their ids, as members and as agents. */
const RESIDENTS: readonly string[] = ['host', 'builder', 'reviewer'];
const MISSING: readonly string[] = ['channel_not_found', 'agent_not_found'];

/** A separate channel with new sessions, so that the lobby stays unchanged. */
export async function castFor(
  client: Client,
  residents: readonly Member[],
  channelId: string,
): Promise<Cast> {
  // As in the lobby: a hand-over among all three takes four runs, which cost nothing.
  const autonomyPolicy = { maxStartedRunsPerHumanMessage: 5 };
  await client.channels.create({ channelId, title: 'Demonstration', autonomyPolicy });
  const members: Member[] = [];
  for (const { memberId, displayName, role, expertiseTags } of residents) {
    const { sessionId } = await client.sessions.create({ agentId: memberId, title: channelId });
    const actorId = `session:${sessionId}`;
    members.push(
      await client.members.upsert(channelId, {
        actorId,
        memberId,
        displayName,
        role,
        expertiseTags,
      }),
    );
  }
  return { channelId, members };
}

/** Ends the sessions; the messages can still be read. */
export async function dismiss(client: Client, { channelId, members }: Cast): Promise<void> {
  for (const member of members) await client.sessions.end(sessionIdOf(member));
  await client.channels.archive(channelId);
}

export const sessionIdOf = ({ actorId }: Member): string => actorId.slice('session:'.length);
