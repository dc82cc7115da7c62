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

/** Who asked for a piece of work, and how far that reaches. */
export interface Requested {
  readonly requestedBy?: string | undefined;
  readonly ceiling?: Ceiling | undefined;
}

/** A piece of work as its item or its run keeps it: where it came from, and as whom it is done. */
export interface Work extends Requested {
  readonly origin: Origin;
  readonly identity?: ChannelRuntimeIdentity | undefined;
  readonly memoryScope?: ChannelRuntimeMemoryScope | undefined;
}

/**
 * What every event of a run says. In a channel it is the channel's memory, and its identity where it has
 * one, as they were when the work was accepted: a run does not change sides half-way.
 */
export function factsOf(session: OpenSession, runId: string, work: Work) {
  const { agentId, agentName, persona } = session;
  const own = agentIdentity(agentId, agentName, persona.definition);
  const { origin, identity = own.identity, memoryScope = own.memoryScope } = work;
  return origin.channelId === undefined
    ? { runId, origin, ...own }
    : { runId, origin, identity, memoryScope };
}

/** As an item keeps it. */
export const requestedIn = ({ requestedBy, ceiling }: Requested): Requested => ({
  ...(requestedBy === undefined ? {} : { requestedBy }),
  ...(ceiling === undefined ? {} : { ceiling }),
});

/** A run names the requester, also if that is the sender of its item. */
export const requestedOfRun = (requested: Requested, from: string): Requested =>
  requestedIn({ requestedBy: from, ...requestedIn(requested) });

export const inSession = (session: OpenSession, event: SessionEvent): NewEvent => ({
  topic: sessionTopic(session.sessionId),
  event,
});

/** What a run was queued with; nothing for a run that is gone. */
export const workOfRun = (run: { readonly queued: Json<EventData<'queued'>> } | undefined): Work =>
  run ? decode(run.queued) : { origin: {} };
