import { StoaError } from '@stoa/protocol';
import { findTask, type OpenProjectRow, type TaskRow, type Tx } from '@stoa/store';

export function* existingTask({ topicId, projectId }: OpenProjectRow, taskId: string): Tx<TaskRow> {
  const task = yield* findTask.first({ topicId, taskId });
  if (!task) throw new StoaError('task_not_found', `There is no task ${taskId} in ${projectId}`);
  return task;
}
