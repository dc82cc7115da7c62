import type { BindingKind, StimulusKind, TaskEntry } from '@stoa/protocol';
import { lockChannel, type Tx } from '@stoa/store';
import type { NewEvent } from '../kernel/log.js';
import { reportInThread } from '../stimuli/add-stimulus.js';
import { withBinding } from '../work/changes.js';
import { workChanged, workIn } from '../work/read-work.js';
import type { TaskContext } from './context.js';

const bindingKindOf = ({ kinds }: TaskContext, taskKind: string): BindingKind =>
  kinds.find(taskKind)?.bindingKind ?? 'task';

/**
 * Binds a background task to the work of the thread it was started in, if any, in the commit that creates it. The channel is
 * locked already.
 */
export function* bindTask(
  context: TaskContext,
  { taskId, sessionId, origin, kind, isForeground }: TaskEntry,
  at: number,
): Tx<NewEvent[]> {
  const { channelId, threadRootMessageId } = origin;
  if (isForeground || channelId === undefined || threadRootMessageId === undefined) return [];
  const row = yield* lockChannel.first({ channelId, actorId: `session:${sessionId}` });
  if (row?.archivedAt !== null || !row.memberId) return [];
  const work = yield* workIn({ ...row, channelId }, threadRootMessageId, at);
  if (!work) return [];
  const bindingKind = bindingKindOf(context, kind);
  return [
    workChanged('binding', withBinding(work, { bindingKind, bindingRef: taskId, boundAt: at })),
  ];
}

/** Reports about a task in the thread it was started in, if any. */
export function* reportInTaskThread(
  context: TaskContext,
  { taskId, sessionId, origin, ceiling, kind: taskKind }: TaskEntry,
  kind: Extract<StimulusKind, 'task_completed' | 'sidechain_milestone'>,
  content: string,
  at: number,
): Tx<NewEvent[]> {
  const { channelId, threadRootMessageId } = origin;
  if (channelId === undefined || threadRootMessageId === undefined) return [];
  const row = yield* lockChannel.first({ channelId, actorId: `session:${sessionId}` });
  if (row?.archivedAt !== null || !row.memberId) return [];
  const report = {
    kind,
    threadRootMessageId,
    content,
    senderSessionId: sessionId,
    sourceKind: bindingKindOf(context, taskKind),
    sourceRef: taskId,
    dedupeKey: `task:${taskId}`,
    progressKey: `task:${taskId}`,
    ceiling,
  };
  return yield* reportInThread(context, { ...row, channelId }, report, at);
}
