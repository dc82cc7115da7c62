import {
  type Binding,
  isTerminalRunStatus,
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

const POSTED_LOOKED_AT = 200;

/** The same work when all of its markers are in its thread; else with those that are. */
export function* withSoundSnapshots(topicId: number, work: ThreadWork): Tx<ThreadWork> {
  const sound: ProgressSnapshot[] = [];
  let isSame = true;
  for (const snapshot of work.progressSnapshots) {
    const { progressKey, latestMessageId } = snapshot;
    if (yield* isMarker(topicId, work, progressKey, latestMessageId)) {
      sound.push(snapshot);
      continue;
    }
    isSame = false;
    const marker = yield* newestMarker(topicId, work, progressKey);
    if (marker !== undefined) sound.push({ ...snapshot, latestMessageId: marker });
  }
  return isSame ? work : { ...work, progressSnapshots: sound };
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
  for (const row of yield* listDispatchedStimuli.all({ topicId, limit: POSTED_LOOKED_AT })) {
    if (row.rootMessageId !== work.threadRootMessageId || row.messageId === null) continue;
    if (createdOf(row).progressKey !== progressKey) continue;
    if (yield* isMarker(topicId, work, progressKey, row.messageId)) return row.messageId;
  }
  return undefined;
}

/** The same work when all that is bound to it belongs to its thread and goes on; else with what does. */
export function* withSoundBindings(_: number, work: ThreadWork): Tx<ThreadWork> {
  const sound: Binding[] = [];
  for (const binding of work.bindings) if (yield* isSound(work, binding)) sound.push(binding);
  return sound.length === work.bindings.length ? work : { ...work, bindings: sound };
}

interface Place {
  readonly channelId?: string | undefined;
  readonly threadRootMessageId?: string | undefined;
}

function* isSound(work: ThreadWork, { bindingKind, bindingRef }: Binding): Tx<boolean> {
  const isHere = ({ channelId, threadRootMessageId }: Place): boolean =>
    channelId === work.channelId && threadRootMessageId === work.threadRootMessageId;
  switch (bindingKind) {
    case 'schedule': {
      const row = yield* findSchedule.first({ scheduleId: bindingRef });
      // One that was made elsewhere names no thread, and may tell of itself in any.
      const made = row && decode(row.created);
      if (!made || row.status === 'ended') return false;
      return made.threadRootMessageId === undefined || isHere(made);
    }
    case 'run': {
      const row = yield* findQueuedRun.first({ runId: bindingRef });
      if (!row || isTerminalRunStatus(row.status)) return false;
      return isHere(decode(row.queued).origin);
    }
    case 'sidechain_agent':
    case 'task':
      return (yield* findBackgroundTask.first({ taskId: bindingRef })) !== undefined;
    case 'observation':
      return (yield* findObservationSource.first({ sourceId: bindingRef })) !== undefined;
  }
}
