import type { Metadata } from '@stoa/protocol';
import { countWaitingItems, type Tx } from '@stoa/store';
import type { OpenSession } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { admitDetail } from './create-task.js';
import { isEnded } from './lifecycle.js';
import { sendNotice } from './notice.js';
import { changed } from './projection.js';
import { type OpenTask, taskChanged, writeTask } from './write-task.js';

/** Leaves room in the inbox for messages of people and for notices of ends. */
const MAX_WAITING = 200;

/**
 * Sends an update about a task to its session, and stores the progress of the task in the same commit, so that no update is
 * repeated. False, and nothing is stored, if too many updates wait, the task is over or its session has ended.
 */
export function sendUpdate(
  context: TaskContext,
  taskId: string,
  text: string,
  detail?: Metadata,
): Promise<boolean> {
  return writeTask(context, 'system', taskId, function* (open, at) {
    const { session, entry } = open;
    const notSent = { events: [], answer: false };
    if (isOver(open) || !(yield* hasRoom(session))) return notSent;
    const sent = yield* sendNotice(context, session, entry, text);
    if (sent === undefined || sent === 'full') return notSent;
    const events = [...sent.events];
    if (detail) {
      const kind = context.kinds.find(entry.kind);
      if (kind) admitDetail(kind, changed(entry, { detail }, at).detail);
      events.push(taskChanged(session, taskId, { detail }));
    }
    return { events, answer: true };
  });
}

const isOver = ({ session, entry }: OpenTask): boolean =>
  isEnded(entry.status) || entry.stopping !== undefined || session.endedAt !== null;

function* hasRoom({ topicId }: OpenSession): Tx<boolean> {
  const waiting = yield* countWaitingItems.first({ topicId, kind: 'task_notice' });
  return (waiting?.count ?? 0) < MAX_WAITING;
}
