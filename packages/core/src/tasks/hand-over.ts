import { SYSTEM, sessionTopic } from '@stoa/protocol';
import {
  findTaskEntry,
  listLiveTasksOfSession,
  listOrphanedTasks,
  listSessionsAbove,
  listTasksToReport,
  listUnreportedTasks,
  type Tx,
} from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { eachIsolated } from '../kernel/each-isolated.js';
import type { Decision } from '../kernel/log.js';
import { sessionToRead, sessionToServe } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { isEnded } from './lifecycle.js';
import { handOver, moveWithNotice, sendNotice } from './notice.js';
import { noticeText } from './notice-text.js';
import { changed } from './projection.js';
import type { Stopping } from './stopping.js';
import { taskChanged, writeTask } from './write-task.js';

/**
 * Moves the tasks of a session that is done to the nearest session above that has not ended, if their kind allows it; stops
 * the others.
 */
export async function handOverTasks(
  context: TaskContext,
  stopping: Stopping,
  sessionId: string,
): Promise<void> {
  const { store } = context;
  const { entries, heir } = await store.read(function* () {
    const { topicId } = yield* sessionToRead(SYSTEM, sessionId);
    const [, ...above] = yield* listSessionsAbove.all({ sessionId });
    const live = yield* listLiveTasksOfSession.all({ topicId });
    const withDueNotice = yield* listUnreportedTasks.all({ topicId });
    return {
      entries: [...live, ...withDueNotice].map(({ entry }) => decode(entry)),
      heir: above.find(({ endedAt }) => endedAt === null)?.sessionId,
    };
  });
  await eachIsolated(context, 'a task could not be handed over', entries, async (entry) => {
    const { taskId } = entry;
    const isHandedOver = context.kinds.find(entry.kind)?.ownerEnded === 'hand_over';
    if (heir !== undefined && isHandedOver) {
      await move(context, taskId, sessionId, heir);
      if (isEnded(entry.status)) await sendDueNotice(context, taskId);
    } else if (!isEnded(entry.status)) await stopping.stopSilently(taskId);
    else await sendDueNotice(context, taskId);
  });
}

/** Hands over the tasks of ended sessions that a daemon did not hand over before it stopped. */
export async function handOverOrphaned(
  context: TaskContext,
  stopping: Stopping,
  limit: number,
): Promise<void> {
  const { store } = context;
  const left = await store.read(() => listOrphanedTasks.all({ limit }));
  for (const sessionId of new Set(left.map((task) => task.sessionId))) {
    await handOverTasks(context, stopping, sessionId);
  }
}

/** Sends notices that found an inbox full, or whose session ended before it read them. */
export async function sendDueNotices(context: TaskContext, limit: number): Promise<void> {
  // A session with a full inbox does not delay the others.
  const full = new Set<string>();
  for (let last: Pick<Due, 'sortAt' | 'taskId'> = { sortAt: 0, taskId: '' }; ; ) {
    const due = await dueAfter(context, last, limit);
    const what = 'the notice of a task could not be sent';
    await eachIsolated(context, what, due, async ({ taskId, sessionId }) => {
      if (full.has(sessionId)) return;
      if (!(await sendDueNotice(context, taskId))) full.add(sessionId);
    });
    const end = due.at(-1);
    if (!end || due.length < limit) return;
    last = end;
  }
}

interface Due {
  readonly sortAt: number;
  readonly taskId: string;
  readonly sessionId: string;
}

function dueAfter(
  context: TaskContext,
  { sortAt, taskId }: Pick<Due, 'sortAt' | 'taskId'>,
  limit: number,
): Promise<Due[]> {
  return context.store.read(() => listTasksToReport.all({ sortAt, taskId, limit }));
}

/** The call that waited for a task did not get its result: the end is reported by a notice instead. */
export async function sendMissedNotice(context: TaskContext, taskId: string): Promise<void> {
  await writeTask(context, 'system', taskId, ({ session, entry }) => {
    const isMissed = isEnded(entry.status) && entry.isForeground && entry.notice === 'none';
    const change = { isForeground: false, notice: 'due' } as const;
    return { events: isMissed ? [taskChanged(session, taskId, change)] : [], answer: undefined };
  });
  await sendDueNotice(context, taskId);
}

/** False if the inbox is full. */
function sendDueNotice(context: TaskContext, taskId: string): Promise<boolean> {
  return writeTask(context, 'system', taskId, function* ({ session, entry }, at) {
    const done = { events: [], answer: true };
    if (!isEnded(entry.status) || entry.notice !== 'due') return done;
    const text = context.kinds.find(entry.kind)?.notice?.(entry, undefined) ?? noticeText(entry);
    const sent = yield* sendNotice(context, session, entry, text);
    if (sent === 'full') return { events: [], answer: false };
    if (!sent) return { events: [taskChanged(session, taskId, { notice: 'none' })], answer: true };
    const change = { notice: 'sent', noticeItemId: sent.itemId } as const;
    const events = [
      taskChanged(session, taskId, change),
      ...moveWithNotice(session, sent, changed(entry, change, at)),
      ...sent.events,
    ];
    return { events, answer: true };
  });
}

/** One commit for both sessions. */
function move(context: TaskContext, taskId: string, from: string, to: string): Promise<void> {
  return context.log.write({
    actor: 'system',
    lane: sessionTopic(from),
    *open() {
      return { leaving: yield* sessionToServe(from), heir: yield* sessionToServe(to) };
    },
    *decide({ leaving, heir }, at): Tx<Decision<void>> {
      const row = yield* findTaskEntry.first({ topicId: leaving.topicId, taskId });
      // `handOverOrphaned` tries again.
      if (!row || heir.endedAt !== null) return { events: [], answer: () => undefined };
      const { noticeItemId: _, ...entry } = decode(row.entry);
      const notice = entry.notice === 'sent' ? 'due' : entry.notice;
      const events = handOver(leaving, heir, { ...entry, updatedAt: at, notice });
      return { events, answer: () => undefined };
    },
  });
}
