import { z } from 'zod';
import { LIMITS } from '../../limits.js';
import { SessionId, TaskId } from '../../records/ids.js';
import { SendTaskMessage, Task, TaskKindName, TaskOutput, TaskStatus } from '../../records/task.js';
import { PEOPLE, PEOPLE_AND_SESSIONS } from '../access-table.js';
import type { Route } from '../route.js';

const inTask = z.strictObject({ taskId: TaskId });
const inSession = z.strictObject({ sessionId: SessionId });
const limit = z.int().min(1).max(LIMITS.pageSize).default(50);
/** A place in the list. */
const Cursor = z.string().regex(/^[01]\.\d{1,16}\.tsk_[0-9a-z]{26}$/);

/** Background tasks, whatever their kind. */
export const TASKS_ROUTES = {
  listTasks: {
    method: 'GET',
    path: '/v1/tasks',
    tag: 'tasks',
    summary: 'List background tasks: those that live, newest start first, then those that ended',
    access: PEOPLE_AND_SESSIONS,
    query: z.strictObject({
      sessionId: SessionId.optional(),
      kind: TaskKindName.optional(),
      status: TaskStatus.optional(),
      before: Cursor.optional(),
      limit,
    }),
    answer: z.strictObject({ tasks: z.array(Task), nextBefore: Cursor.optional() }),
    status: 200,
  },
  getTask: {
    method: 'GET',
    path: '/v1/tasks/:taskId',
    tag: 'tasks',
    summary: 'Read a background task',
    access: PEOPLE_AND_SESSIONS,
    params: inTask,
    answer: Task,
    status: 200,
  },
  readTaskOutput: {
    method: 'GET',
    path: '/v1/tasks/:taskId/output',
    tag: 'tasks',
    summary: 'Read what a task put out, from an offset on; with `waitMs` wait for more',
    access: PEOPLE_AND_SESSIONS,
    params: inTask,
    query: z.strictObject({
      offset: z.int().min(0).default(0),
      limit: z.int().min(4).max(LIMITS.taskOutputBytes).default(65_536),
      waitMs: z.int().min(0).max(LIMITS.taskWaitMs).default(0),
    }),
    answer: TaskOutput,
    status: 200,
  },
  stopTask: {
    method: 'POST',
    path: '/v1/tasks/:taskId/stop',
    tag: 'tasks',
    summary: 'Stop a task; answers when it is gone',
    access: PEOPLE_AND_SESSIONS,
    params: inTask,
    answer: Task,
    status: 200,
  },
  messageTask: {
    method: 'POST',
    path: '/v1/tasks/:taskId/message',
    tag: 'tasks',
    summary: 'Give a task a message, if it takes any',
    access: PEOPLE,
    params: inTask,
    body: SendTaskMessage,
    bodyLimit: 1024 * 1024,
    answer: Task,
    status: 202,
  },
  promoteTask: {
    method: 'POST',
    path: '/v1/tasks/:taskId/promote',
    tag: 'tasks',
    summary: 'Send what a tool call waits for to the background',
    access: PEOPLE,
    params: inTask,
    answer: Task,
    status: 200,
  },
  resumeTask: {
    method: 'POST',
    path: '/v1/tasks/:taskId/resume',
    tag: 'tasks',
    summary: 'Let a paused task go on, now or when there is a place',
    access: PEOPLE,
    params: inTask,
    answer: Task,
    status: 200,
  },
  promoteOnlyTask: {
    method: 'POST',
    path: '/v1/sessions/:sessionId/promote',
    tag: 'tasks',
    summary: 'Send the only thing that a tool call of a session waits for to the background',
    access: PEOPLE,
    params: inSession,
    answer: Task,
    status: 200,
  },
  stopTasks: {
    method: 'POST',
    path: '/v1/sessions/:sessionId/tasks/stop',
    tag: 'tasks',
    summary: 'Stop every task of a session and of those below it, without telling them',
    access: PEOPLE,
    params: inSession,
    answer: z.strictObject({ tasks: z.array(Task) }),
    status: 200,
  },
} as const satisfies Record<string, Route>;
