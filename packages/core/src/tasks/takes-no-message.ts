import { StoaError, type Task } from '@stoa/protocol';

/** Who wrote to it sees what it is called, not under which id it is kept. */
export function takesNoMessage({ description, taskId }: Named, why: string): StoaError {
  const name = description === '' ? taskId : `“${description}”`;
  return new StoaError('task_takes_no_message', `${name} takes no message: ${why}`);
}

type Named = Pick<Task, 'description' | 'taskId'>;
