import type { Task, TaskOutput } from '@stoa/protocol';
import type { Answer, Caller, CallOptions } from '../http/caller.js';
import type { QueryFor } from './query.js';

export type TaskPage = Answer<'listTasks'>;

export interface TasksApi {
  /** Those that live, newest start first; then those that ended, newest end first. */
  list(query?: QueryFor<'listTasks'>, options?: CallOptions): Promise<TaskPage>;
  get(taskId: string, options?: CallOptions): Promise<Task>;
  /** What it put out from an offset on; with `waitMs` it waits for more. */
  output(
    taskId: string,
    query?: QueryFor<'readTaskOutput'>,
    options?: CallOptions,
  ): Promise<TaskOutput>;
  /** Resolves when it is gone. */
  stop(taskId: string, options?: CallOptions): Promise<Task>;
  send(taskId: string, text: string, options?: CallOptions): Promise<Task>;
  /** Lets the tool call that waits for it go on without it. */
  promote(taskId: string, options?: CallOptions): Promise<Task>;
  /** The same for the only one that a session waits for. */
  promoteOnly(sessionId: string, options?: CallOptions): Promise<Task>;
  resume(taskId: string, options?: CallOptions): Promise<Task>;
  /** Everything of a session and of those below it; nobody is told. */
  stopAll(sessionId: string, options?: CallOptions): Promise<{ readonly tasks: readonly Task[] }>;
}

export function tasksApi(call: Caller): TasksApi {
  return {
    list: (query, options) => call('listTasks', { query, ...options }),
    get: (taskId, options) => call('getTask', { params: { taskId }, ...options }),
    output: (taskId, query, options) =>
      call('readTaskOutput', { params: { taskId }, query, ...options }),
    stop: (taskId, options) => call('stopTask', { params: { taskId }, ...options }),
    send: (taskId, text, options) =>
      call('messageTask', { params: { taskId }, body: { text }, ...options }),
    promote: (taskId, options) => call('promoteTask', { params: { taskId }, ...options }),
    promoteOnly: (sessionId, options) =>
      call('promoteOnlyTask', { params: { sessionId }, ...options }),
    resume: (taskId, options) => call('resumeTask', { params: { taskId }, ...options }),
    stopAll: (sessionId, options) => call('stopTasks', { params: { sessionId }, ...options }),
  };
}
