import {
  findSessionFields,
  insertSession,
  setContextSeq,
  setPersona,
  setSessionEnded,
  type Tx,
  updateSession,
} from '@stoa/store';
import { decode } from '../kernel/codec.js';
import type { Position } from '../kernel/entry.js';
import type { EventOf, Projections } from '../kernel/module.js';
import { extendRules } from '../permissions/rules.js';

/** What the events of sessions do to their tables. */
export const SESSION_EVENTS: Projections = {
  *session_created(position, event) {
    const { topicId, seq, at } = position;
    const { sessionId, persona, workspace, title, mode, parentSessionId, metadata } = event.data;
    yield* insertSession.run({
      topicId,
      sessionId,
      agentId: persona.agentId,
      driver: persona.definition.driver.kind,
      title: title ?? null,
      workspace,
      mode,
      parentSessionId: parentSessionId ?? null,
      createdBy: position.actor,
      responsibleId: event.data.responsibleId,
      createdAt: at,
      personaSeq: seq,
      metadata: JSON.stringify(metadata),
      ceiling: event.data.ceiling === undefined ? null : JSON.stringify(event.data.ceiling),
    });
  },
  session_updated: changeSession,
  permissions_extended: changeSession,
  *session_refreshed(position, event) {
    const { topicId, seq, at } = position;
    const driver = event.data.persona.definition.driver.kind;
    yield* setPersona.run({ topicId, seq, driver, at });
  },
  *session_cleared(position) {
    const { topicId, seq } = position;
    yield* setContextSeq.run({ topicId, seq });
  },
  *session_ended(position) {
    const { topicId, at } = position;
    yield* setSessionEnded.run({ topicId, at });
  },
};

function* changeSession(
  { topicId, at }: Position,
  change: EventOf<'session_updated' | 'permissions_extended'>,
): Tx<void> {
  const now = yield* findSessionFields.first({ topicId });
  if (!now) return;
  if (change.type === 'permissions_extended') {
    const permissions = extendRules(decode(now.permissions), change.data.permissions);
    yield* updateSession.run({ topicId, at, ...now, permissions: JSON.stringify(permissions) });
    return;
  }
  const { title, mode, metadata } = change.data;
  yield* updateSession.run({
    topicId,
    at,
    title: title === undefined ? now.title : title,
    mode: mode ?? now.mode,
    metadata: metadata === undefined ? now.metadata : JSON.stringify(metadata),
    permissions: now.permissions,
  });
}
