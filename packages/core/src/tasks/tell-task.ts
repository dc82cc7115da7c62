import type { Metadata } from '@stoa/protocol';
import { countWaitingItems, type Tx } from '@stoa/store';
import type { OpenSession } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { admitDetail } from './create-task.js';
import { isEnded } from './lifecycle.js';
import { tellOwner } from './notice.js';
import { changed } from './projection.js';
import { type OpenTask, taskChanged, writeTask } from './write-task.js';

/** News leave room in the inbox for what people say, and for the ends of tasks. */
const WAITING_NEWS = 200;

/**
 * Tells the session of a task something, and keeps in the same commit how far the task has come with that:
 * who goes on from there tells nothing twice. False, and nothing is kept, where there is no room for it or
 * nobody is to hear of it any more.
 */
export function tellTask(
  context: TaskContext,
  taskId: string,
  text: string,
  detail?: Metadata,
): Promise<boolean> {
  return writeTask(context, 'system', taskId, function* (open, at) {
    const { session, entry } = open;
    const untold = { events: [], answer: false };
    if (isOver(open) || !(yield* hasRoom(session))) return untold;
    const told = yield* tellOwner(context, session, entry, text);
    if (told === undefined || told === 'full') return untold;
    const events = [...told.events];
    if (detail) {
      const kind = context.kinds.find(entry.kind);
      if (kind) admitDetail(kind, changed(entry, { detail }, at).detail);
      events.push(taskChanged(session, taskId, { detail }));
    }
    return { events, answer: true };
  });
}

/** What is being stopped has nothing more to say. */
const isOver = ({ session, entry }: OpenTask): boolean =>
  isEnded(entry.status) || entry.stopping !== undefined || session.endedAt !== null;

function* hasRoom({ topicId }: OpenSession): Tx<boolean> {
  const waiting = yield* countWaitingItems.first({ topicId, kind: 'task_notice' });
  return (waiting?.count ?? 0) < WAITING_NEWS;
}
