import {
  actorIdOf,
  type PermissionMode,
  type Principal,
  type Session,
  StoaError,
  SYSTEM,
  sessionTopic,
  type UpdateSession,
} from '@stoa/protocol';
import { listChildSessions, listOrphanedSessions, type Tx } from '@stoa/store';
import { eachIsolated } from '../kernel/each-isolated.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { SESSION_ENDING, SESSION_STOPPING, type SessionContext } from './context.js';
import { assertMode, assertNarrower, readSession, takePersona } from './create-session.js';
import { lockChannelsOfSession } from './lock-channels.js';
import { inSession } from './run-facts.js';
import {
  assertNotEnded,
  type OpenSession,
  sessionToChange,
  sessionToRead,
} from './session-gate.js';

/** Changes title, mode or metadata. A mode applies from the next tool call on. */
export async function updateSession(
  context: SessionContext,
  principal: Principal,
  sessionId: string,
  request: UpdateSession,
): Promise<Session> {
  const metadata = request.metadata === undefined ? undefined : admitMetadata(request.metadata);
  await change(context, principal, sessionId, function* (session) {
    assertNotEnded(session);
    if (request.mode !== undefined) {
      assertMode(principal, request.mode, yield* parentOf(session));
    }
    const data = { ...request, ...(metadata === undefined ? {} : { metadata }) };
    return [inSession(session, { type: 'session_updated', data })];
  });
  return readSession(context, sessionId);
}

/** Copies the current definition of the agent; the context stays. */
export async function refreshSession(
  context: SessionContext,
  principal: Principal,
  sessionId: string,
): Promise<Session> {
  const { agentId, workspace } = await context.store.read(() =>
    sessionToRead(principal, sessionId),
  );
  const agent = await context.findAgent(agentId, workspace);
  const persona = await takePersona(context, agent, workspace);
  await change(context, principal, sessionId, function* (session) {
    assertNotEnded(session);
    if (session.activeRunId !== null) {
      throw new StoaError('session_busy', `${sessionId} is working on ${session.activeRunId}`);
    }
    const parent = yield* parentOf(session);
    // The mode of a sub-session is capped by its parent's; only its definition is new.
    if (parent) assertNarrower(parent, agent, { ...session, mode: parent.mode });
    else assertMode(principal, session.mode as PermissionMode);
    return [inSession(session, { type: 'session_refreshed', data: { persona } })];
  });
  return readSession(context, sessionId);
}

/** Empties the context: the active run is cancelled, waiting items are dropped, the journal stays. */
export async function clearSession(
  context: SessionContext,
  principal: Principal,
  sessionId: string,
): Promise<Session> {
  const decide = (session: OpenSession): Tx<NewEvent[]> => cleared(context, session);
  await change(context, principal, sessionId, decide, lockChannelsOfSession);
  return readSession(context, sessionId);
}

/** The events that clear a session. */
export function* cleared(context: SessionContext, session: OpenSession): Tx<NewEvent[]> {
  assertNotEnded(session);
  const ended = yield* context.hooks.collect(SESSION_STOPPING, session, 'clear');
  return [...ended, inSession(session, { type: 'session_cleared', data: {} })];
}

/**
 * Ends a session and its sub-sessions. Waiting items are dropped; the journal stays. Each session ends in its own commit:
 * after a crash between them, `endOrphanedSessions` ends the rest.
 */
export async function endSession(
  context: SessionContext,
  principal: Principal,
  sessionId: string,
  reason = 'ended',
): Promise<Session> {
  const decide = function* (session: OpenSession, at: number): Tx<NewEvent[]> {
    if (session.endedAt !== null) return [];
    const noted = yield* context.hooks.collect(SESSION_ENDING, principal, sessionId);
    // Handlers see the session as ended.
    const stopping = { ...session, endedAt: at };
    const ended = yield* context.hooks.collect(SESSION_STOPPING, stopping, 'clear');
    return [...ended, inSession(session, { type: 'session_ended', data: { reason } }), ...noted];
  };
  await change(context, principal, sessionId, decide, lockChannelsOfSession);
  const children = await context.store.read(() =>
    listChildSessions.all({ parentSessionId: sessionId }),
  );
  for (const child of children) {
    await endSession(context, SYSTEM, child.sessionId, PARENT_ENDED);
  }
  return readSession(context, sessionId);
}

/** Ends sessions whose parent has ended. Returns their number. */
export async function endOrphanedSessions(context: SessionContext, limit: number): Promise<number> {
  const orphans = await context.store.read(() => listOrphanedSessions.all({ limit }));
  await eachIsolated(context, 'a sub-session could not be ended', orphans, ({ sessionId }) =>
    endSession(context, SYSTEM, sessionId, PARENT_ENDED),
  );
  return orphans.length;
}

const PARENT_ENDED = 'its parent ended';

function* parentOf({ parentSessionId }: OpenSession): Tx<OpenSession | undefined> {
  if (parentSessionId === null) return undefined;
  return yield* sessionToRead(SYSTEM, parentSessionId);
}

function change(
  context: SessionContext,
  principal: Principal,
  sessionId: string,
  decide: (session: OpenSession, at: number) => Tx<readonly NewEvent[]> | readonly NewEvent[],
  lockFirst?: (sessionId: string) => Tx<void>,
): Promise<void> {
  return context.log.write({
    actor: actorIdOf(principal),
    lane: sessionTopic(sessionId),
    *open() {
      if (lockFirst) yield* lockFirst(sessionId);
      return yield* sessionToChange(principal, sessionId);
    },
    *decide(session, at): Tx<Decision<void>> {
      const decided = decide(session, at);
      const events = 'next' in decided ? yield* decided : decided;
      return { events, answer: () => undefined };
    },
  });
}
