import type { RunContext } from '@stoa/core';
import { LIMITS, StoaError, TaskId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool, type Subject } from '../tool.js';
import { taskLine, taskText } from './task-text.js';

/**
 * Background tasks are private to the person the session works for. If others requested this run, they may access
 * tasks that were started at the request of the same people. Without an id, the call accesses all tasks.
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
  task_id: TaskId.optional().describe('By default all tasks'),
});

export const taskStatus = defineTool({
  name: 'task_status',
  description:
    'Lists your background tasks of every kind, or shows one in detail. You are notified when a task ' +
    'ends: do not poll.',
  input: TaskStatusInput,
  kind: 'read',
  title: ({ task_id }) => (task_id === undefined ? 'Background tasks' : `Status of ${task_id}`),
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
  offset: z.int().min(0).optional().describe('First byte; by default the end of the output'),
  limit: z.int().min(1).max(PART_BYTES).optional().describe('Maximum number of bytes'),
  wait_ms: z
    .int()
    .min(0)
    .max(LIMITS.taskWaitMs)
    .optional()
    .describe('How long to wait for output if there is none after the offset'),
});

/** An offset past the end: the answer contains the size. */
const PAST_END = Number.MAX_SAFE_INTEGER;

export const taskOutput = defineTool({
  name: 'task_output',
  description: 'Reads the output of a background task so far, by byte offset.',
  input: TaskOutputInput,
  kind: 'read',
  title: ({ task_id }) => `Output of ${task_id}`,
  subjects: ({ task_id }, { run }) => taskSubject(run, task_id),
  async execute({ task_id, offset, limit = PART_BYTES, wait_ms: waitMs = 0 }, { run }) {
    try {
      const from = offset ?? (await lastFrom(run, task_id, limit));
      const part = await run.tasks.output(task_id, { offset: from, limit, waitMs });
      const { text, nextOffset, size, isComplete, oldestOffset } = part;
      const lost = from < part.offset && oldestOffset > from ? ' (earlier output was dropped)' : '';
      const more = isComplete
        ? 'the task has ended, and this is the end'
        : `continue at offset ${String(nextOffset)}`;
      const head = `Bytes ${String(part.offset)} to ${String(nextOffset)} of ${String(size)}${lost}; ${more}.`;
      return { text: text === '' ? `${head} No output there.` : `${head}\n${text}` };
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
  const { size } = await tasks.output(taskId, { offset: PAST_END, limit: 1, waitMs: 0 });
  return Math.max(0, size - limit);
}

const TaskStopInput = z.strictObject({ task_id: TaskId });

export const taskStop = defineTool({
  name: 'task_stop',
  description:
    'Stops a background task of any kind and returns when it has ended. You get no other notification ' +
    'of its end.',
  input: TaskStopInput,
  kind: 'speak',
  title: ({ task_id }) => `Stop ${task_id}`,
  subjects: ({ task_id }, { run }) => taskSubject(run, task_id),
  async execute({ task_id }, { run }) {
    return { text: taskLine(await run.tasks.stop(task_id)) };
  },
});
