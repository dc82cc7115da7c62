import type { Origin, SessionEvent } from '@stoa/protocol';
import { sessionTopic } from '@stoa/protocol';
import type { OpenSession } from '../access/session-gate.js';
import type { NewEvent } from '../log/log.js';
import { agentIdentity } from './identity.js';

/** What every event of a run says. */
export function factsOf(session: OpenSession, runId: string, origin: Origin) {
  const { agentId, agentName, persona } = session;
  return { runId, origin, ...agentIdentity(agentId, agentName, persona.definition) };
}

export const inSession = (session: OpenSession, event: SessionEvent): NewEvent => ({
  topic: sessionTopic(session.sessionId),
  event,
});
