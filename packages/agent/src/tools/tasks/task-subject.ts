import type { RunContext } from '@stoa/core';
import type { Subject } from '../tool.js';

/**
 * What a call about background tasks touches: they are private to the person the session works for. A task that was
 * started on request of the same people is theirs to follow. Without an id it is all tasks.
 */
export async function taskSubject(
  run: RunContext,
  taskId: string | undefined,
): Promise<readonly Subject[]> {
  const { requestedBy = [] } = await run.policy();
  if (requestedBy.length === 0) return [{ type: 'none' }];
  const { ceiling } = taskId === undefined ? {} : await run.tasks.get(taskId);
  const isTheirs = requestedBy.every((person) => ceiling?.people.includes(person) === true);
  return [{ type: 'none', isPrivate: !isTheirs }];
}
