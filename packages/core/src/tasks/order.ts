import type { Task } from '@stoa/protocol';
import { isEnded } from './lifecycle.js';

/** A place in the list: those that live, newest start first, then those that ended, newest end first. */
interface OrderKey {
  readonly isEnded: number;
  readonly sortAt: number;
  readonly taskId: string;
}

function orderOf(
  task: Pick<Task, 'status' | 'startedAt' | 'createdAt' | 'endedAt' | 'taskId'>,
): OrderKey {
  const hasEnded = isEnded(task.status);
  const sortAt = hasEnded ? (task.endedAt ?? 0) : (task.startedAt ?? task.createdAt);
  return { isEnded: hasEnded ? 1 : 0, sortAt, taskId: task.taskId };
}

export function compareTasks(left: Task, right: Task): number {
  const a = orderOf(left);
  const b = orderOf(right);
  if (a.isEnded !== b.isEnded) return a.isEnded - b.isEnded;
  if (a.sortAt !== b.sortAt) return b.sortAt - a.sortAt;
  return a.taskId < b.taskId ? 1 : -1;
}

/** A place as text, for who reads the next page. */
export const cursorOf = (task: Task): string => {
  const { isEnded: ended, sortAt, taskId } = orderOf(task);
  return `${String(ended)}.${String(sortAt)}.${taskId}`;
};

/** Without one, before all of them. */
export function fromCursor(cursor: string | undefined): OrderKey {
  if (cursor === undefined) return { isEnded: 0, sortAt: Number.MAX_SAFE_INTEGER, taskId: '~' };
  const [ended = '0', sortAt = '0', taskId = ''] = cursor.split('.');
  return { isEnded: Number(ended), sortAt: Number(sortAt), taskId };
}
