import { LIMITS, type Origin, type WorkKind } from '@stoa/protocol';
import { findQueuedRun, listQueuedRuns, lockChannel, openSession, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';

/** What ends with a word, or with news, in a channel. */
const REACHING: ReadonlySet<WorkKind> = new Set(['channel_delivery', 'schedule']);

/**
 * Whatever reaches from a session into channels locks those before the session, as a post does, and in
 * the order of their ids: then two writers wait for each other and do not collide. What comes to the
 * session between this look and its lock is not among them; a collision over that is tried again.
 */
export function* lockReached(sessionId: string): Tx<void> {
  const session = yield* openSession.first({ sessionId });
  if (!session) return;
  const { topicId, activeRunId } = session;
  const limit = LIMITS.queuedRunsPerSession;
  const queued = yield* listQueuedRuns.all({ topicId, limit });
  const runIds = queued.flatMap(({ runId, kind }) => (isReaching(kind) ? [runId] : []));
  if (activeRunId !== null && isReaching(session.activeKind)) runIds.push(activeRunId);
  const channels = new Set<string>();
  for (const runId of runIds) {
    const channelId = yield* channelOfRun(runId);
    if (channelId !== undefined) channels.add(channelId);
  }
  for (const channelId of [...channels].sort()) yield* lockPlace({ channelId });
}

/** The same for the one channel of a run. */
export function* lockPlaceOfRun(runId: string): Tx<void> {
  yield* lockPlace({ channelId: yield* channelOfRun(runId) });
}

/** The same for what is known to belong to a channel, if it does. */
export function* lockPlace({ channelId }: Pick<Origin, 'channelId'>): Tx<void> {
  if (channelId !== undefined) yield* lockChannel.first({ channelId, actorId: 'system' });
}

const isReaching = (kind: string | null): boolean => REACHING.has(kind as WorkKind);

function* channelOfRun(runId: string): Tx<string | undefined> {
  const run = yield* findQueuedRun.first({ runId });
  return run && decode(run.queued).origin.channelId;
}
