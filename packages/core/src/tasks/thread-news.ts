import type { StimulusKind, TaskEntry } from '@stoa/protocol';
import { lockChannel, type Tx } from '@stoa/store';
import type { NewEvent } from '../log/log.js';
import { tellThread } from '../stimuli/add-stimulus.js';
import type { TaskContext } from './context.js';

/** Tells the thread that a task was started in of it; nothing where it was started in none. */
export function* tellItsThread(
  context: TaskContext,
  { taskId, sessionId, origin, ceiling }: TaskEntry,
  kind: Extract<StimulusKind, 'task_completed' | 'sidechain_milestone'>,
  content: string,
  at: number,
): Tx<NewEvent[]> {
  const { channelId, threadRootMessageId } = origin;
  if (channelId === undefined || threadRootMessageId === undefined) return [];
  const row = yield* lockChannel.first({ channelId, actorId: `session:${sessionId}` });
  if (row?.archivedAt !== null || !row.memberId) return [];
  const news = {
    kind,
    threadRootMessageId,
    content,
    senderSessionId: sessionId,
    sourceKind: 'task',
    sourceRef: taskId,
    dedupeKey: `task:${taskId}`,
    progressKey: `task:${taskId}`,
    ceiling,
  };
  return yield* tellThread(context, { ...row, channelId }, news, at);
}
