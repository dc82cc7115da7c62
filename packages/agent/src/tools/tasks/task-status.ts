import { TaskId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { taskSubject } from './task-subject.js';
import { taskLine, taskText } from './task-text.js';

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
