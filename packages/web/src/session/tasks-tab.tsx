import { taskRow } from '@stoa/client';
import { openTasks } from '../status-bar/opened.js';
import { toneOf } from '../tasks/task-tone.js';
import { elapsedText, useNow } from '../ui/elapsed.js';
import { Nothing } from './nothing.js';
import { useSessionTasks } from './use-session.js';

export function TasksTab({ sessionId }: { readonly sessionId: string }) {
  const { data: tasks } = useSessionTasks(sessionId);
  const now = useNow();
  if (tasks?.length === 0) return <Nothing>No background tasks.</Nothing>;
  return (
    <ul aria-label="Tasks" className="divide-y divide-line">
      {tasks
        ?.map((task) => taskRow(task, now))
        .map(({ taskId, kind, title, status, elapsedMs }) => (
          <li key={taskId}>
            <button
              type="button"
              aria-haspopup="dialog"
              onClick={() => openTasks(taskId)}
              className="block w-full rounded-md px-1 py-1.5 text-left hover:bg-hover"
            >
              <span className="block truncate text-[13px]">{title}</span>
              <span className="flex gap-2 text-xs text-faint">
                {kind}
                <span className={toneOf(status)}>{status}</span>
                {elapsedMs === undefined ? null : (
                  <span className="ml-auto tabular-nums">{elapsedText(elapsedMs)}</span>
                )}
              </span>
            </button>
          </li>
        ))}
    </ul>
  );
}
