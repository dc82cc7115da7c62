import * as api from '../index.js';
import type { Tx } from '../sql/statement.js';

const PARENT = 90;
const CHILD = 91;
const session = (topicId: number, sessionId: string, parentSessionId: string | null) => ({
  topicId,
  sessionId,
  parentSessionId,
  agentId: 'helper',
  driver: 'script',
  title: null,
  workspace: '/w',
  mode: 'ask',
  createdBy: 'human:ada',
  responsibleId: 'human:ada',
  createdAt: 1,
  personaSeq: 1,
  metadata: '{}',
  ceiling: null,
});
type Task = Parameters<typeof api.putBackgroundTask.run>[0];
const task = (n: number, more: Partial<Task> = {}): Task => ({
  topicId: CHILD,
  taskId: `tsk_${String(n)}`,
  kind: 'shell',
  status: 'running',
  isEnded: 0,
  sortAt: n,
  notice: 'due',
  noticeItemId: null,
  responsibleId: 'human:ada',
  location: 'here',
  entry: JSON.stringify({ n, text: 'Zoë' }),
  ...more,
});
const ended = { status: 'failed', isEnded: 1, notice: 'sent' };
const all = {
  kind: null,
  status: null,
  responsibleId: null,
  isEnded: 0,
  sortAt: 99,
  taskId: '~',
  limit: 9,
};
const of = { responsibleId: 'human:ada', kind: 'shell' };

/** Background tasks of a session and of one below it, statement by statement. */
export const taskTour: readonly (readonly [string, () => Tx<unknown>])[] = [
  [
    'topic of the one above',
    () => api.insertTopicWithId.changes({ id: PARENT, name: 'session:ses_90', floor: 0 }),
  ],
  [
    'topic of the one below',
    () => api.insertTopicWithId.changes({ id: CHILD, name: 'session:ses_91', floor: 0 }),
  ],
  ['the one above', () => api.insertSession.changes(session(PARENT, 'ses_90', null))],
  ['the one below', () => api.insertSession.changes(session(CHILD, 'ses_91', 'ses_90'))],
  ['putBackgroundTask', () => api.putBackgroundTask.changes(task(1))],
  [
    'putBackgroundTask, that waits',
    () => api.putBackgroundTask.changes(task(2, { status: 'queued' })),
  ],
  ['putBackgroundTask, that ended', () => api.putBackgroundTask.changes(task(3, ended))],
  [
    'putBackgroundTask, that ended and has a notice due',
    () => api.putBackgroundTask.changes(task(4, { ...ended, notice: 'due' })),
  ],
  [
    'putBackgroundTask, of the one above',
    () =>
      api.putBackgroundTask.changes(
        task(5, { topicId: PARENT, kind: 'agent', entry: '{"stopping":{"by":"system"}}' }),
      ),
  ],
  [
    'putBackgroundTask, again',
    () => api.putBackgroundTask.changes(task(3, { ...ended, sortAt: 30, entry: '{"n":"again"}' })),
  ],
  ['findBackgroundTask', () => api.findBackgroundTask.first({ taskId: 'tsk_3' })],
  ['findBackgroundTask, unknown', () => api.findBackgroundTask.first({ taskId: 'tsk_99' })],
  ['findTaskEntry', () => api.findTaskEntry.first({ topicId: CHILD, taskId: 'tsk_1' })],
  ['findTaskEntry, elsewhere', () => api.findTaskEntry.first({ topicId: PARENT, taskId: 'tsk_1' })],
  ['listBackgroundTasks', () => api.listBackgroundTasks.all(all)],
  [
    'listBackgroundTasks, narrowed',
    () =>
      api.listBackgroundTasks.all({
        ...all,
        kind: 'shell',
        status: 'failed',
        responsibleId: 'human:ada',
      }),
  ],
  [
    'listBackgroundTasks, after a position',
    () => api.listBackgroundTasks.all({ ...all, sortAt: 2, taskId: 'tsk_2' }),
  ],
  [
    'listBackgroundTasks, from an ended one on',
    () => api.listBackgroundTasks.all({ ...all, isEnded: 1, sortAt: 30, taskId: 'tsk_3' }),
  ],
  ['listTasksOfSession', () => api.listTasksOfSession.all({ ...all, topicId: PARENT })],
  ['listTasksBelow', () => api.listTasksBelow.all({ ...all, sessionId: 'ses_90' })],
  ['listTasksBelow, the lowest', () => api.listTasksBelow.all({ ...all, sessionId: 'ses_91' })],
  ['listFamily', () => api.listFamily.all({ sessionId: 'ses_90' })],
  ['listLiveTasksOfSession', () => api.listLiveTasksOfSession.all({ topicId: CHILD })],
  [
    'countLiveTasksOfSession',
    () => api.countLiveTasksOfSession.first({ topicId: CHILD, kind: null }),
  ],
  [
    'countLiveTasksOfSession, of a kind',
    () => api.countLiveTasksOfSession.first({ topicId: CHILD, kind: 'agent' }),
  ],
  ['countRunningTasks', () => api.countRunningTasks.first(of)],
  [
    'listQueuedTasks',
    () =>
      api.listQueuedTasks.all({ location: 'here', kind: 'shell', sortAt: 0, taskId: '', limit: 9 }),
  ],
  [
    'listQueuedTasks, after one elsewhere',
    () =>
      api.listQueuedTasks.all({
        location: 'elsewhere',
        kind: 'shell',
        sortAt: 1,
        taskId: 'tsk_1',
        limit: 9,
      }),
  ],
  ['listLiveTasks', () => api.listLiveTasks.all({ location: 'here', after: 'tsk_1', limit: 9 })],
  ['listTasksToStop', () => api.listTasksToStop.all({ location: 'here', limit: 9 })],
  ['listTasksToReport', () => api.listTasksToReport.all({ sortAt: 0, taskId: '', limit: 9 })],
  [
    'listTasksToReport, after one',
    () => api.listTasksToReport.all({ sortAt: 4, taskId: 'tsk_4', limit: 9 }),
  ],
  [
    'putBackgroundTask, with a notice that was sent',
    () => api.putBackgroundTask.changes(task(6, { ...ended, noticeItemId: 'itm_6' })),
  ],
  ['findTaskOfNotice', () => api.findTaskOfNotice.first({ topicId: CHILD, itemId: 'itm_6' })],
  [
    'findTaskOfNotice, elsewhere',
    () => api.findTaskOfNotice.first({ topicId: PARENT, itemId: 'itm_6' }),
  ],
  ['listUnreportedTasks', () => api.listUnreportedTasks.all({ topicId: CHILD })],
  ['countEndedTasks', () => api.countEndedTasks.first({ topicId: CHILD, kind: 'shell' })],
  ['listTasksToEvict', () => api.listTasksToEvict.all({ topicId: CHILD, kind: 'shell', limit: 9 })],
  ['listSessionsAbove', () => api.listSessionsAbove.all({ sessionId: 'ses_91' })],
  ['countPendingApprovals', () => api.countPendingApprovals.first({ sessionId: 'ses_91' })],
  ['the one below ends', () => api.setSessionEnded.changes({ topicId: CHILD, at: 40 })],
  ['listOrphanedTasks', () => api.listOrphanedTasks.all({ limit: 9 })],
  ['listFamily, of one that ended', () => api.listFamily.all({ sessionId: 'ses_91' })],
  [
    'deleteBackgroundTask',
    () => api.deleteBackgroundTask.changes({ topicId: CHILD, taskId: 'tsk_1' }),
  ],
];
