import { type TaskSection, taskDetail, taskSections } from '@stoa/client';
import type { Task } from '@stoa/protocol';
import { useRef, useState } from 'react';
import { useConnection } from '../data/live.js';
import { useTask, useTasks } from '../data/work.js';
import { Dialog } from '../ui/dialog.js';
import { useNow } from '../ui/elapsed.js';
import { Empty } from '../ui/empty.js';
import { KeyHints } from '../ui/kbd.js';
import { useDialogKeys } from '../ui/use-dialog-keys.js';
import { lastKnown } from './last-known.js';
import { type DetailKeys, TaskDetails } from './task-details.js';
import { taskHints } from './task-keys.js';
import { TaskList } from './task-list.js';

interface TasksDialogProps {
  /** Which one to begin with. */
  readonly taskId: string | undefined;
  readonly onClose: () => void;
}

/**
 * The background tasks. The selection is a task, not an index: the list changes
 * whenever a task starts or ends, and stopping must never hit the neighbour.
 */
export function TasksDialog({ taskId, onClose }: TasksDialogProps) {
  const { data: tasks } = useTasks();
  const now = useNow();
  const [chosen, choose] = useState(taskId);
  const detailKeys = useRef<DetailKeys>(undefined);
  const isAway = useConnection() === 'reconnecting';
  const sections = taskSections(tasks ?? [], now);
  const order = sections.flatMap(({ rows }) => rows.map((row) => row.taskId));
  if (chosen === undefined && order[0] !== undefined) choose(order[0]);
  const listed = tasks?.find((task) => task.taskId === chosen);
  // One that was evicted, or that lies beyond what is listed.
  const { data: unlisted } = useTask(tasks && !listed ? chosen : undefined);
  const task = listed ?? unlisted;
  const can = task && taskDetail(task, now).can;
  const canNow = can && { ...can, stop: can.stop && task.stopping === undefined };
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
        <Empty title="No background tasks">
          Commands, monitors, agents and dreams appear here with their output while they run in the
          background and for a while afterwards.
        </Empty>
      ) : (
        <div className="flex min-h-0 grow flex-col short:block short:overflow-y-auto wide:flex-row">
          <TaskList
            sections={isAway ? whileAway(sections, tasks ?? []) : sections}
            chosen={chosen}
            onChoose={choose}
          />
          {task ? (
            <TaskDetails
              key={task.taskId}
              task={task}
              isAway={isAway}
              keys={detailKeys}
              onClose={onClose}
            />
          ) : null}
        </div>
      )}
      <KeyHints hints={taskHints(canNow, order.length)} />
    </Dialog>
  );
}

function whileAway(sections: readonly TaskSection[], tasks: readonly Task[]): TaskSection[] {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  return sections.map((section) => ({
    ...section,
    rows: section.rows.map((row) => lastKnown(row, byId.get(row.taskId) ?? {})),
  }));
}
