import { taskSections } from '@stoa/client';
import { useRef, useState } from 'react';
import { useTask, useTasks } from '../data/work.js';
import { Dialog } from '../ui/dialog.js';
import { useNow } from '../ui/elapsed.js';
import { Empty } from '../ui/empty.js';
import { KeyHints } from '../ui/kbd.js';
import { useDialogKeys } from '../ui/use-dialog-keys.js';
import { type DetailKeys, TaskDetails } from './task-details.js';
import { TaskList } from './task-list.js';

interface TasksDialogProps {
  /** Which one to begin with. */
  readonly taskId: string | undefined;
  readonly onClose: () => void;
}

const HINTS = [
  ['j k', 'choose'],
  ['x', 'stop'],
  ['m', 'message'],
  ['b', 'to the background'],
  ['r', 'resume'],
  ['Esc', 'close'],
] as const;

/**
 * What goes on in the background. What is chosen is a task, not a place in the list: the list moves
 * whenever something begins or ends, and whoever is about to stop something must not stop its neighbour.
 */
export function TasksDialog({ taskId, onClose }: TasksDialogProps) {
  const { data: tasks } = useTasks();
  const now = useNow();
  const [chosen, choose] = useState(taskId);
  const detailKeys = useRef<DetailKeys>(undefined);
  const sections = taskSections(tasks ?? [], now);
  const order = sections.flatMap(({ rows }) => rows.map((row) => row.taskId));
  if (chosen === undefined && order[0] !== undefined) choose(order[0]);
  const listed = tasks?.find((task) => task.taskId === chosen);
  // One that was evicted, or that lies beyond what is listed.
  const { data: unlisted } = useTask(tasks && !listed ? chosen : undefined);
  const task = listed ?? unlisted;
  const move = (step: number): void => {
    const at = chosen === undefined ? -1 : order.indexOf(chosen);
    const next = order[Math.min(Math.max(at + step, 0), order.length - 1)];
    if (next !== undefined) choose(next);
  };
  useDialogKeys((key) => {
    if (key === 'j' || key === 'ArrowDown') move(1);
    else if (key === 'k' || key === 'ArrowUp') move(-1);
    else return detailKeys.current?.(key) ?? false;
    return true;
  });
  return (
    <Dialog title="Background tasks" onClose={onClose} isPane>
      {tasks?.length === 0 && !task ? (
        <Empty title="Nothing goes on">
          Commands in the background, monitors, helpers of agents and dreams are listed here, with
          what they put out, while they run and for a while after that.
        </Empty>
      ) : (
        <div className="flex min-h-0 grow flex-col wide:flex-row">
          <TaskList sections={sections} chosen={chosen} onChoose={choose} />
          {task ? (
            <TaskDetails key={task.taskId} task={task} keys={detailKeys} onClose={onClose} />
          ) : null}
        </div>
      )}
      <KeyHints hints={HINTS} />
    </Dialog>
  );
}
