import { LIMITS, type Origin, type WorkKind } from '@stoa/protocol';
import { findQueuedRun, listQueuedRuns, lockChannel, openSession, type Tx } from '@stoa/store';
import { decode } from '../kernel/codec.js';

/** Runs of these kinds can post in a channel when they end. */
const POSTING: ReadonlySet<WorkKind> = new Set(['channel_delivery', 'schedule']);

/**
 * Locks the channels of a session's runs. A write that affects channels locks them before the session, as a post does, in
 * the order of their ids, which avoids deadlocks. Runs that are queued after this read are not covered; a deadlock over
 * them is retried.
 */
export function* lockChannelsOfSession(sessionId: string): Tx<void> {
  const session = yield* openSession.first({ sessionId });
  if (!session) return;
  const { topicId, activeRunId } = session;
  const limit = LIMITS.queuedRunsPerSession;
  const queued = yield* listQueuedRuns.all({ topicId, limit });
  const runIds = queued.flatMap(({ runId, kind }) => (postsInChannel(kind) ? [runId] : []));
  if (activeRunId !== null && postsInChannel(session.activeKind)) runIds.push(activeRunId);
  const channels = new Set<string>();
  for (const runId of runIds) {
    const channelId = yield* channelOfRun(runId);
    if (channelId !== undefined) channels.add(channelId);
  }
  for (const channelId of [...channels].sort()) yield* lockChannelOf({ channelId });
}

/** Locks the channel of a run. */
export function* lockChannelOfRun(runId: string): Tx<void> {
  yield* lockChannelOf({ channelId: yield* channelOfRun(runId) });
}

/** Locks a channel, if there is one. */
export function* lockChannelOf({ channelId }: Pick<Origin, 'channelId'>): Tx<void> {
  if (channelId !== undefined) yield* lockChannel.first({ channelId, actorId: 'system' });
}

const postsInChannel = (kind: string | null): boolean => POSTING.has(kind as WorkKind);

function* channelOfRun(runId: string): Tx<string | undefined> {
  const run = yield* findQueuedRun.first({ runId });
  return run && decode(run.queued).origin.channelId;
}
