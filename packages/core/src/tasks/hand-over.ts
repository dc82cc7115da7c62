import { SYSTEM, sessionTopic } from '@stoa/protocol';
import {
  findTaskEntry,
  listLiveTasksOfSession,
  listSessionsAbove,
  listTasksLeftBehind,
  listTasksToTell,
  listUntoldTasks,
  type Tx,
} from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { eachApart } from '../kernel/each-apart.js';
import type { Decision } from '../kernel/log.js';
import { sessionToRead, sessionToServe } from '../sessions/session-gate.js';
import type { TaskContext } from './context.js';
import { isEnded } from './lifecycle.js';
import { goesAlong, handOver, tellOwner } from './notice.js';
import { noticeText } from './notice-text.js';
import { changed } from './projection.js';
import type { Stopping } from './stopping.js';
import { taskChanged, writeTask } from './write-task.js';

/**
 * What becomes of the tasks of a session that is done: those whose kind says so go to the nearest session
 * above that goes on, which hears of their ends; the others are stopped.
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
    const untold = yield* listUntoldTasks.all({ topicId });
    return {
      entries: [...live, ...untold].map(({ entry }) => decode(entry)),
      heir: above.find(({ endedAt }) => endedAt === null)?.sessionId,
    };
  });
  await eachApart(context, 'a task could not be handed over', entries, async (entry) => {
    const { taskId } = entry;
    const goes = context.kinds.find(entry.kind)?.ownerEnded === 'hand_over';
    if (heir !== undefined && goes) {
      await move(context, taskId, sessionId, heir);
      if (isEnded(entry.status)) await tellDue(context, taskId);
    } else if (!isEnded(entry.status)) await stopping.stopSilently(taskId);
    else await tellDue(context, taskId);
  });
}

/** What sessions left behind that a daemon did not live to hand over. */
export async function handOverLeftBehind(
  context: TaskContext,
  stopping: Stopping,
  limit: number,
): Promise<void> {
  const { store } = context;
  const left = await store.read(() => listTasksLeftBehind.all({ limit }));
  for (const sessionId of new Set(left.map((task) => task.sessionId))) {
    await handOverTasks(context, stopping, sessionId);
  }
}

/** Tells of ends that found an inbox full, or whose session ended before it heard of them. */
export async function tellAllDue(context: TaskContext, limit: number): Promise<void> {
  // A session without room keeps nobody else waiting.
  const full = new Set<string>();
  for (let last: Pick<Due, 'sortAt' | 'taskId'> = { sortAt: 0, taskId: '' }; ; ) {
    const due = await dueAfter(context, last, limit);
    const what = 'the end of a task could not be told';
    await eachApart(context, what, due, async ({ taskId, sessionId }) => {
      if (full.has(sessionId)) return;
      if (!(await tellDue(context, taskId))) full.add(sessionId);
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
  return context.store.read(() => listTasksToTell.all({ sortAt, taskId, limit }));
}

/** What was to tell of the end of one that was waited for did not: it is told as that of every other. */
export async function tellAfterAll(context: TaskContext, taskId: string): Promise<void> {
  await writeTask(context, 'system', taskId, ({ session, entry }) => {
    const isUntold = isEnded(entry.status) && entry.isForeground && entry.notice === 'none';
    const change = { isForeground: false, notice: 'due' } as const;
    return { events: isUntold ? [taskChanged(session, taskId, change)] : [], answer: undefined };
  });
  await tellDue(context, taskId);
}

/** False where there is no room for it. */
function tellDue(context: TaskContext, taskId: string): Promise<boolean> {
  return writeTask(context, 'system', taskId, function* ({ session, entry }, at) {
    const done = { events: [], answer: true };
    if (!isEnded(entry.status) || entry.notice !== 'due') return done;
    const text = context.kinds.find(entry.kind)?.notice?.(entry, undefined) ?? noticeText(entry);
    const told = yield* tellOwner(context, session, entry, text);
    if (told === 'full') return { events: [], answer: false };
    if (!told) return { events: [taskChanged(session, taskId, { notice: 'none' })], answer: true };
    const change = { notice: 'sent', noticeItemId: told.itemId } as const;
    const events = [
      taskChanged(session, taskId, change),
      ...goesAlong(session, told, changed(entry, change, at)),
      ...told.events,
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
      // What cannot go there now is found again by who looks for what was left behind.
      if (!row || heir.endedAt !== null) return { events: [], answer: () => undefined };
      const { noticeItemId: _, ...entry } = decode(row.entry);
      const notice = entry.notice === 'sent' ? 'due' : entry.notice;
      const events = handOver(leaving, heir, { ...entry, updatedAt: at, notice });
      return { events, answer: () => undefined };
    },
  });
}
