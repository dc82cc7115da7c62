import type { RunContext } from '@stoa/core';
import { LIMITS, StoaError, TaskId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool, type Subject } from '../tool.js';
import { taskLine, taskText } from './task-text.js';

/**
 * What a call about background tasks touches: they are private to the person the session works for. A task that was
 * started on request of the same people is theirs to follow. Without an id it is all tasks.
 */
async function taskSubject(
  run: RunContext,
  taskId: string | undefined,
): Promise<readonly Subject[]> {
  const { requestedBy = [] } = await run.policy();
  if (requestedBy.length === 0) return [{ type: 'none' }];
  const { ceiling } = taskId === undefined ? {} : await run.tasks.get(taskId);
  const isTheirs = requestedBy.every((person) => ceiling?.people.includes(person) === true);
  return [{ type: 'none', isPrivate: !isTheirs }];
}

const TaskStatusInput = z.strictObject({
  task_id: TaskId.optional().describe('The task to look at; all of them without it'),
});
type TaskStatusInput = z.infer<typeof TaskStatusInput>;

export const taskStatus = defineTool<TaskStatusInput>({
  name: 'task_status',
  description:
    'Shows your background tasks of every kind, or all there is to know of one. You are told by ' +
    'yourself when one ends: do not ask again and again.',
  input: TaskStatusInput,
  kind: 'read',
  title: ({ task_id }) => (task_id === undefined ? 'Background tasks' : `Look at ${task_id}`),
  subjects: ({ task_id }, { run }) => taskSubject(run, task_id),
  async execute({ task_id }, { run }) {
    if (task_id !== undefined) return { text: taskText(await run.tasks.get(task_id)) };
    const all = await run.tasks.list();
    return { text: all.length === 0 ? 'There are none.' : all.map(taskLine).join('\n') };
  },
});

const PART_BYTES = 16_384;

const TaskOutputInput = z.strictObject({
  task_id: TaskId,
  offset: z.int().min(0).optional().describe('The byte to begin at; without it, the last there is'),
  limit: z.int().min(1).max(PART_BYTES).optional().describe('At most so many bytes'),
  wait_ms: z
    .int()
    .min(0)
    .max(LIMITS.taskWaitMs)
    .optional()
    .describe('Waits so long for more, where there is none from the offset on'),
});
type TaskOutputInput = z.infer<typeof TaskOutputInput>;

/** Asking from behind the end gives where the end is. */
const BEHIND = Number.MAX_SAFE_INTEGER;

export const taskOutput = defineTool<TaskOutputInput>({
  name: 'task_output',
  description: 'Reads what a background task has put out so far, by bytes.',
  input: TaskOutputInput,
  kind: 'read',
  title: ({ task_id }) => `Output of ${task_id}`,
  subjects: ({ task_id }, { run }) => taskSubject(run, task_id),
  async execute({ task_id, offset, limit = PART_BYTES, wait_ms: waitMs = 0 }, { run }) {
    try {
      const from = offset ?? (await lastFrom(run, task_id, limit));
      const part = await run.tasks.output(task_id, { offset: from, limit, waitMs });
      const { text, nextOffset, size, isComplete, oldestOffset } = part;
      const lost =
        from < part.offset && oldestOffset > from ? ' (what was before is not kept)' : '';
      const more = isComplete
        ? 'the task has ended, and this is the end'
        : `go on at offset ${String(nextOffset)}`;
      const head = `Bytes ${String(part.offset)} to ${String(nextOffset)} of ${String(size)}${lost}; ${more}.`;
      return { text: text === '' ? `${head} Nothing there.` : `${head}\n${text}` };
    } catch (error) {
      if (!(error instanceof StoaError) || error.code !== 'task_without_output') throw error;
      const task = await run.tasks.get(task_id);
      return { text: `It has no output to read.\n${taskText(task)}` };
    }
  },
});

async function lastFrom(
  { tasks }: Pick<RunContext, 'tasks'>,
  taskId: string,
  limit: number,
): Promise<number> {
  const { size } = await tasks.output(taskId, { offset: BEHIND, limit: 1, waitMs: 0 });
  return Math.max(0, size - limit);
}

const TaskStopInput = z.strictObject({ task_id: TaskId });
type TaskStopInput = z.infer<typeof TaskStopInput>;

export const taskStop = defineTool<TaskStopInput>({
  name: 'task_stop',
  description:
    'Stops a background task, of whatever kind, and answers when it is gone. The answer is all you ' +
    'are told of its end.',
  input: TaskStopInput,
  kind: 'speak',
  title: ({ task_id }) => `Stop ${task_id}`,
  subjects: ({ task_id }, { run }) => taskSubject(run, task_id),
  async execute({ task_id }, { run }) {
    return { text: taskLine(await run.tasks.stop(task_id)) };
  },
});
