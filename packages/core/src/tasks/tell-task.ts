import { type Metadata, StoaError, type TaskEntry } from '@stoa/protocol';
import { countWaitingItems, type Tx } from '@stoa/store';
import type { OpenSession } from '../access/session-gate.js';
import type { TaskContext } from './context.js';
import { admitDetail } from './create-task.js';
import { isEnded } from './lifecycle.js';
import { tellOwner } from './notice.js';
import { changed } from './projection.js';
import { taskChanged, writeTask } from './write-task.js';

/** Something to be told while a task goes on, and what that changes in its detail. */
export interface TaskNews {
  readonly text: string;
  readonly detail: Metadata;
}

/** News leave room in the inbox for what people say, and for the ends of tasks. */
const WAITING_NEWS = 200;

/**
 * Tells the session of a task something, and keeps in the same commit how far the task has come with that:
 * who goes on from there tells nothing twice. Throws `inbox_full` where there is no room for it, and
 * `task_not_running` when nobody is to hear of it any more.
 */
export function tellTask(
  context: TaskContext,
  taskId: string,
  { text, detail }: TaskNews,
): Promise<TaskEntry> {
  return writeTask(context, 'system', taskId, function* ({ session, entry }, at) {
    if (isEnded(entry.status) || entry.stopping || session.endedAt !== null) {
      throw new StoaError('task_not_running', `${taskId} has ended or is being stopped`);
    }
    yield* assertRoomForNews(session);
    const told = yield* tellOwner(context, session, entry, text);
    if (!told || told === 'full') throw full(session);
    const change = { detail };
    const task = changed(entry, change, at);
    const kind = context.kinds.find(entry.kind);
    if (kind) admitDetail(kind, task.detail);
    return { events: [...told.events, taskChanged(session, taskId, change)], answer: task };
  });
}

function* assertRoomForNews(session: OpenSession): Tx<void> {
  const { topicId } = session;
  const waiting = (yield* countWaitingItems.first({ topicId, kind: 'task_notice' }))?.count ?? 0;
  if (waiting >= WAITING_NEWS) throw full(session);
}

const full = ({ sessionId }: OpenSession): StoaError =>
  new StoaError('inbox_full', `${sessionId} has no room for more news of its background tasks`);
