import {
  type Binding,
  isTerminalRunStatus,
  type Origin,
  type ProgressSnapshot,
  type ThreadWork,
} from '@stoa/protocol';
import {
  findBackgroundTask,
  findMessage,
  findObservationSource,
  findQueuedRun,
  findSchedule,
  listDispatchedStimuli,
  type Tx,
} from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { createdOf } from '../stimuli/records.js';

/** How many of the newest posted stimuli are searched for a marker. */
const MAX_STIMULI = 200;

/** Replaces or drops progress markers that are not in the thread. Returns the same object if all are. */
export function* withValidSnapshots(topicId: number, work: ThreadWork): Tx<ThreadWork> {
  const valid: ProgressSnapshot[] = [];
  let isSame = true;
  for (const snapshot of work.progressSnapshots) {
    const { progressKey, latestMessageId } = snapshot;
    if (yield* isMarker(topicId, work, progressKey, latestMessageId)) {
      valid.push(snapshot);
      continue;
    }
    isSame = false;
    const marker = yield* newestMarker(topicId, work, progressKey);
    if (marker !== undefined) valid.push({ ...snapshot, latestMessageId: marker });
  }
  return isSame ? work : { ...work, progressSnapshots: valid };
}

function* isMarker(
  topicId: number,
  { threadRootMessageId }: ThreadWork,
  progressKey: string,
  messageId: string,
): Tx<boolean> {
  const row = yield* findMessage.first({ topicId, messageId });
  if (!row || row.deletedAt !== null) return false;
  if ((row.rootMessageId ?? row.messageId) !== threadRootMessageId) return false;
  const { metadata } = decode(row.posted);
  return metadata.progressKey === progressKey;
}

function* newestMarker(
  topicId: number,
  work: ThreadWork,
  progressKey: string,
): Tx<string | undefined> {
  for (const row of yield* listDispatchedStimuli.all({ topicId, limit: MAX_STIMULI })) {
    if (row.rootMessageId !== work.threadRootMessageId || row.messageId === null) continue;
    if (createdOf(row).progressKey !== progressKey) continue;
    if (yield* isMarker(topicId, work, progressKey, row.messageId)) return row.messageId;
  }
  return undefined;
}

/** Drops bindings that ended or belong to another thread. Returns the same object if there are none. */
export function* withValidBindings(_: number, work: ThreadWork): Tx<ThreadWork> {
  const valid: Binding[] = [];
  for (const binding of work.bindings) if (yield* isValid(work, binding)) valid.push(binding);
  return valid.length === work.bindings.length ? work : { ...work, bindings: valid };
}

function* isValid(work: ThreadWork, { bindingKind, bindingRef }: Binding): Tx<boolean> {
  const isInThread = ({ channelId, threadRootMessageId }: Origin): boolean =>
    channelId === work.channelId && threadRootMessageId === work.threadRootMessageId;
  switch (bindingKind) {
    case 'schedule': {
      const row = yield* findSchedule.first({ scheduleId: bindingRef });
      const schedule = row && decode(row.created);
      if (!schedule || row.status === 'ended') return false;
      // A schedule that was not created in a thread may report in any.
      return schedule.threadRootMessageId === undefined || isInThread(schedule);
    }
    case 'run': {
      const row = yield* findQueuedRun.first({ runId: bindingRef });
      if (!row || isTerminalRunStatus(row.status)) return false;
      return isInThread(decode(row.queued).origin);
    }
    case 'sidechain_agent':
    case 'task':
      return (yield* findBackgroundTask.first({ taskId: bindingRef })) !== undefined;
    case 'observation':
      return (yield* findObservationSource.first({ sourceId: bindingRef })) !== undefined;
  }
}
