import type { Resident } from '@stoa/agent';
import type { Core } from '@stoa/core';
import { type Principal, StoaError } from '@stoa/protocol';
import { listTopicsAfter, type Store } from '@stoa/store';
import type { Logger } from 'pino';

const LOBBY_ID = 'lobby';

/** In the metadata of the channel: the progress of its creation. */
const MARK = 'firstStart';
const BEGUN = { [MARK]: 'begun' };
const DONE = { [MARK]: 'done' };

interface LobbyPorts {
  readonly core: Core;
  readonly store: Store;
  readonly owner: Principal;
  readonly log: Logger;
}

/**
 * The first start: a channel with three scripted agents, so that a newcomer finds somebody to talk to.
 *
 *   nothing is stored ──▶ begun (the channel exists) ──agents, sessions, members, welcome──▶ done
 *
 * Every step is one that a person could take, as the owner, and can be repeated: the next start completes an
 * interrupted one, and two daemons that start on one database create one lobby. A deleted lobby is not created again:
 * its topic remains, so the store is not empty. Returns whether this start opened it. Failures are logged and do not
 * prevent the start.
 */
export async function openLobby({ core, store, owner, log }: LobbyPorts): Promise<boolean> {
  try {
    if (!(await isWanted(core, store, owner))) return false;
    await furnish(core, owner);
    return true;
  } catch (error) {
    if (!(error instanceof StoaError)) throw error;
    log.warn({ err: error }, 'the lobby was not opened');
    return false;
  }
}

async function isWanted(core: Core, store: Store, owner: Principal): Promise<boolean> {
  // The owner has a topic as soon as there is a token.
  const topics = await store.read(() => listTopicsAfter.all({ id: 0, limit: 2 }));
  if (topics.length > 1) return isBegun(core, owner);
  const { RESIDENTS } = await import('@stoa/agent');
  const isTaken = ({ agentId }: { agentId: string }): boolean =>
    RESIDENTS.some((resident) => resident.agentId === agentId);
  return !(await core.agents.list()).some((agent) => agent.source !== 'builtin' || isTaken(agent));
}

async function isBegun({ channels }: Core, owner: Principal): Promise<boolean> {
  try {
    return (await channels.get(owner, LOBBY_ID)).metadata[MARK] === BEGUN[MARK];
  } catch (error) {
    if (error instanceof StoaError && error.code === 'channel_not_found') return false;
    throw error;
  }
}

/** The idempotency key of a step. */
const key = (what: string): string => `${MARK}:${what}`;

async function furnish(core: Core, owner: Principal): Promise<void> {
  const { RESIDENTS, WELCOME } = await import('@stoa/agent');
  const { channels } = core;
  await channels.create(
    owner,
    {
      channelId: LOBBY_ID,
      title: 'Lobby',
      purpose: 'Meeting Stoa: three scripted residents show how agents share a channel',
      // A hand-over among all three takes four runs, which cost nothing; one more is for a guest.
      autonomyPolicy: { maxStartedRunsPerHumanMessage: 5 },
      metadata: BEGUN,
    },
    key('channel'),
  );
  const [host] = RESIDENTS;
  const sessions = new Map<string, string>();
  for (const resident of RESIDENTS) {
    sessions.set(resident.agentId, await moveIn(core, owner, resident));
  }
  const speaker: Principal = {
    kind: 'session',
    id: sessions.get(host.agentId) ?? '',
    credentialId: 'session',
  };
  await channels.post(speaker, LOBBY_ID, { text: WELCOME }, key('welcome'));
  await channels.update(owner, LOBBY_ID, { metadata: DONE });
}

async function moveIn(
  { agents, sessions, channels }: Core,
  owner: Principal,
  { agentId, displayName, role, expertiseTags, definition }: Resident,
): Promise<string> {
  await agents.put(owner, agentId, definition);
  const { sessionId } = await sessions.create(
    owner,
    { agentId, title: LOBBY_ID },
    key(`session:${agentId}`),
  );
  await channels.upsertMember(owner, LOBBY_ID, {
    actorId: `session:${sessionId}`,
    memberId: agentId,
    displayName,
    role,
    expertiseTags: [...expertiseTags],
  });
  return sessionId;
}
