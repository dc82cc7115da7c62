import { TaskId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { taskSubject } from './task-subject.js';
import { taskLine } from './task-text.js';

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
