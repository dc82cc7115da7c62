import {
  actorIdOf,
  type Ceiling,
  type PermissionMode,
  type Principal,
  SYSTEM,
} from '@stoa/protocol';
import { findQueuedRun, listSessionsAbove, type Tx } from '@stoa/store';
import { OWNER_ID } from '../access/credentials.js';
import { lowerCeiling, lowerMode } from '../authority/ceiling.js';
import { decode } from '../kernel/codec.js';
import { workOfRun } from './run-facts.js';
import { type OpenSession, sessionToRead } from './session-gate.js';

export const OWNER_ACTOR = `human:${OWNER_ID}`;

/** A request to a session: who wrote it, and under which ceiling. */
export interface Request {
  /** The actor who wrote it. */
  readonly by: string;
  readonly ceiling?: Ceiling | undefined;
}

/** The ceiling of what a session does on request. */
export function* ceilingOf(
  receiver: OpenSession,
  { by, ceiling }: Request,
): Tx<Ceiling | undefined> {
  return forReceiver(receiver, lowerCeiling(yield* ceilingOfActor(receiver, by), ceiling));
}

/** The ceiling of a text before it is known which session will read it. */
export function* ceilingOfAuthor(by: Principal): Tx<Ceiling | undefined> {
  if (by.kind === 'session') {
    return yield* currentCeiling(yield* sessionToRead(SYSTEM, by.id));
  }
  if (by.kind !== 'human') return undefined;
  return { mode: 'full', people: [actorIdOf(by)], sessions: [] };
}

/** A ceiling as it applies to a session: people it works for do not lower it. */
function forReceiver(receiver: OpenSession, ceiling: Ceiling | undefined): Ceiling | undefined {
  if (!ceiling) return undefined;
  const people = strangersOf(receiver, ceiling.people);
  if (people.length > 0) return { ...ceiling, mode: lowerMode(ceiling.mode, 'ask'), people };
  if (ceiling.sessions.length === 0 && ceiling.mode === 'full') return undefined;
  return { ...ceiling, people };
}

/** People among these who are strangers to a session: it does not work for them, and they are not the owner. */
export function strangersOf(
  { responsibleId }: Pick<OpenSession, 'responsibleId'>,
  people: readonly string[],
): string[] {
  return people.filter((actor) => actor !== responsibleId && actor !== OWNER_ACTOR);
}

/** The strangers among the people of this ceiling and of the session's own. */
export function strangersUnder(
  session: Pick<OpenSession, 'responsibleId' | 'ceiling'>,
  ceiling: Ceiling | undefined,
): string[] {
  return strangersOf(session, lowerCeiling(sessionCeiling(session), ceiling)?.people ?? []);
}

/** The ceiling of everything that a session creates now: that of its active run, and its own. */
export function* currentCeiling(session: OpenSession): Tx<Ceiling | undefined> {
  const { activeRunId } = session;
  if (activeRunId === null) return sessionCeiling(session);
  const run = yield* findQueuedRun.first({ runId: activeRunId });
  const { ceiling } = workOfRun(run);
  return lowerCeiling(sessionCeiling(session), ceiling);
}

/** The ceiling with which a session was created. */
export const sessionCeiling = ({ ceiling }: Pick<OpenSession, 'ceiling'>): Ceiling | undefined =>
  ceiling === null ? undefined : decode(ceiling);

function* ceilingOfActor(receiver: OpenSession, actor: string): Tx<Ceiling | undefined> {
  const [kind, id = ''] = actor.split(':', 2);
  if (kind === 'human') {
    return { mode: 'full', people: [actor], sessions: [] };
  }
  if (kind !== 'session' || id === receiver.sessionId) return undefined;
  const sender = yield* sessionToRead(SYSTEM, id);
  if (yield* isAncestorOfOther(sender, receiver)) return undefined;
  const isStranger = sender.responsibleId !== receiver.responsibleId;
  return {
    mode: sender.mode as PermissionMode,
    people: isStranger ? [sender.responsibleId] : [],
    sessions: [sender.sessionId],
  };
}

/** Whether one of two sessions is an ancestor of the other. */
function* isAncestorOfOther(one: OpenSession, other: OpenSession): Tx<boolean> {
  if (one.parentSessionId === null && other.parentSessionId === null) return false;
  const isAbove = function* (lower: OpenSession, upper: OpenSession): Tx<boolean> {
    const above = yield* listSessionsAbove.all({ sessionId: lower.sessionId });
    return above.some(({ sessionId }) => sessionId === upper.sessionId);
  };
  return (yield* isAbove(one, other)) || (yield* isAbove(other, one));
}
