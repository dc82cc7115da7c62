import { actorIdOf, type Persona, type Principal, StoaError } from '@stoa/protocol';
import type { Json } from '@stoa/store';
import { lockSession, type OpenSessionRow, openSession, type Tx } from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { decode } from '../kernel/codec.js';

/** A session that was opened through the gate, with what it took over from its agent. */
export interface OpenSession extends Omit<OpenSessionRow, 'persona'> {
  readonly persona: Persona;
  /** What its agent is called now. */
  readonly agentName: string;
}

/**
 * The one way to a session. What a session was told and did is for the person it works for and for
 * the owner of the daemon; a session may look at itself and at those it made.
 */
export function* sessionToRead(principal: Principal, sessionId: string): Tx<OpenSession> {
  const session = found(yield* openSession.first({ sessionId }), sessionId);
  assertMayLookInto(principal, session);
  return session;
}

export function* sessionToChange(principal: Principal, sessionId: string): Tx<OpenSession> {
  const session = found(yield* lockSession.first({ sessionId }), sessionId);
  if (!mayDirect(principal, session)) throw refusal();
  return session;
}

/** For what the daemon itself does with a session: the caller has been checked, or there is none. */
export function* sessionToServe(sessionId: string): Tx<OpenSession> {
  return found(yield* lockSession.first({ sessionId }), sessionId);
}

/** To answer for a session: what an agent wants is decided by people, never by an agent. */
export function mayDirect(
  principal: Principal,
  { responsibleId }: Pick<OpenSession, 'responsibleId'>,
): boolean {
  if (callerClass(principal) === 'admin') return true;
  return principal.kind === 'human' && actorIdOf(principal) === responsibleId;
}

export function assertMayLookInto(
  principal: Principal,
  session: Pick<OpenSession, 'responsibleId' | 'sessionId' | 'parentSessionId'>,
): void {
  if (mayDirect(principal, session)) return;
  const isOwn =
    principal.kind === 'session' &&
    (principal.id === session.sessionId || principal.id === session.parentSessionId);
  if (!isOwn) throw refusal();
}

export function assertNotEnded(session: OpenSession): void {
  if (session.endedAt === null) return;
  throw new StoaError('session_ended', `${session.sessionId} has ended`);
}

function refusal(): StoaError {
  return new StoaError('forbidden', 'A session is for who it works for and the owner');
}

function found(row: OpenSessionRow | undefined, sessionId: string): OpenSession {
  if (!row) throw new StoaError('session_not_found', `There is no session ${sessionId}`);
  const persona = personaOf(row.persona);
  return { ...row, persona, agentName: agentNameOf(row, persona) };
}

/** It stands in the event that made the session or refreshed it. */
export function personaOf(body: Json<{ persona: Persona }>): Persona {
  return decode(body).persona;
}

export function agentNameOf(
  { nickname, agentId }: { readonly nickname: string | null; readonly agentId: string },
  persona: Persona,
): string {
  return nickname ?? persona.definition.displayName ?? agentId;
}
