import type {
  Ceiling,
  ChannelRuntimeIdentity,
  ChannelRuntimeMemoryScope,
  EventData,
  Origin,
  SessionEvent,
} from '@stoa/protocol';
import { sessionTopic } from '@stoa/protocol';
import type { Json } from '@stoa/store';
import { agentIdentity } from '../agents/identity.js';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import type { OpenSession } from './session-gate.js';

/** Who asked for work, and the ceiling of the request. */
export interface Requested {
  readonly requestedBy?: string | undefined;
  readonly ceiling?: Ceiling | undefined;
}

/** Work as its item or run stores it: its origin, its identity and its memory scope. */
export interface Work extends Requested {
  readonly origin: Origin;
  readonly identity?: ChannelRuntimeIdentity | undefined;
  readonly memoryScope?: ChannelRuntimeMemoryScope | undefined;
}

/**
 * Fields of every event of a run. In a channel these are the memory scope and the identity of the channel when the work was
 * accepted, so they do not change during a run.
 */
export function factsOf(session: OpenSession, runId: string, work: Work) {
  const { agentId, agentName, persona } = session;
  const own = agentIdentity(agentId, agentName, persona.definition);
  const { origin, identity = own.identity, memoryScope = own.memoryScope } = work;
  return origin.channelId === undefined
    ? { runId, origin, ...own }
    : { runId, origin, identity, memoryScope };
}

/** The request fields that are set. */
export const requestedIn = ({ requestedBy, ceiling }: Requested): Requested => ({
  ...(requestedBy === undefined ? {} : { requestedBy }),
  ...(ceiling === undefined ? {} : { ceiling }),
});

/** A run always names the requester; an item names it only if it is not its sender. */
export const requestedOfRun = (requested: Requested, from: string): Requested =>
  requestedIn({ requestedBy: from, ...requestedIn(requested) });

export const inSession = (session: OpenSession, event: SessionEvent): NewEvent => ({
  topic: sessionTopic(session.sessionId),
  event,
});

/** The work with which a run was queued; empty if the run does not exist. */
export const workOfRun = (run: { readonly queued: Json<EventData<'queued'>> } | undefined): Work =>
  run ? decode(run.queued) : { origin: {} };
