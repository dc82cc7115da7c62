import { useMutation } from '@tanstack/react-query';
import { type RefObject, type SyntheticEvent, useState } from 'react';
import { client } from '../data/client.js';
import { refreshSoon } from '../data/refresh-soon.js';
import { workKeys } from '../data/work.js';
import { IconButton } from '../ui/button.js';
import { INPUT } from '../ui/field.js';
import { Icon } from '../ui/icon.js';

interface TaskMessageProps {
  readonly taskId: string;
  readonly box: RefObject<HTMLInputElement | null>;
}

/** A line for a task. Whether it takes any is for its kind to say, and it says so. */
export function TaskMessage({ taskId, box }: TaskMessageProps) {
  const [text, setText] = useState('');
  const send = useMutation({
    mutationFn: (written: string) => client.tasks.send(taskId, written),
    // What was written since stays.
    onSuccess: (_, written) => setText((now) => (now === written ? '' : now)),
    onSettled: () => refreshSoon(workKeys.tasks),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };
  return (
    <form onSubmit={submit}>
      <div className="flex gap-1">
        <input
          ref={box}
          aria-label="Message to the task"
          aria-invalid={send.error ? true : undefined}
          aria-describedby={send.error ? 'task-message-problem' : undefined}
          placeholder="Message to the task"
          className={INPUT}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <IconButton label="Send" type="submit" className="size-8" disabled={send.isPending}>
          <Icon name="send" />
        </IconButton>
      </div>
      {send.error ? (
        <p id="task-message-problem" role="alert" className="mt-1 text-xs text-danger">
          {send.error.message}
        </p>
      ) : null}
    </form>
  );
}
