import { actorIdOf, type Persona, type Principal, StoaError } from '@stoa/protocol';
import type { Json } from '@stoa/store';
import { lockSession, type OpenSessionRow, openSession, type Tx } from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { decode } from '../kernel/codec.js';

/** A session that was opened through the gate, with its persona. */
export interface OpenSession extends Omit<OpenSessionRow, 'persona'> {
  readonly persona: Persona;
  /** The current name of its agent. */
  readonly agentName: string;
}

/**
 * The only way to a session. The person it works for and the owner may read it; a session may read itself and its
 * sub-sessions.
 */
export function* sessionToRead(principal: Principal, sessionId: string): Tx<OpenSession> {
  const session = found(yield* openSession.first({ sessionId }), sessionId);
  assertMayRead(principal, session);
  return session;
}

export function* sessionToChange(principal: Principal, sessionId: string): Tx<OpenSession> {
  const session = found(yield* lockSession.first({ sessionId }), sessionId);
  if (!mayDirect(principal, session)) throw refusal();
  return session;
}

/** For work of the daemon itself: the caller has been checked, or there is none. */
export function* sessionToServe(sessionId: string): Tx<OpenSession> {
  return found(yield* lockSession.first({ sessionId }), sessionId);
}

/** Whether somebody may decide for a session: only people may, never an agent. */
export function mayDirect(
  principal: Principal,
  { responsibleId }: Pick<OpenSession, 'responsibleId'>,
): boolean {
  if (callerClass(principal) === 'admin') return true;
  return principal.kind === 'human' && actorIdOf(principal) === responsibleId;
}

export function assertMayRead(
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
  return new StoaError(
    'forbidden',
    'Only the person it works for and the owner have access to a session',
  );
}

function found(row: OpenSessionRow | undefined, sessionId: string): OpenSession {
  if (!row) throw new StoaError('session_not_found', `There is no session ${sessionId}`);
  const persona = personaOf(row.persona);
  return { ...row, persona, agentName: agentNameOf(row, persona) };
}

/** The event that created or refreshed the session contains it. */
export function personaOf(body: Json<{ persona: Persona }>): Persona {
  return decode(body).persona;
}

export function agentNameOf(
  { nickname, agentId }: { readonly nickname: string | null; readonly agentId: string },
  persona: Persona,
): string {
  return nickname ?? persona.definition.displayName ?? agentId;
}
