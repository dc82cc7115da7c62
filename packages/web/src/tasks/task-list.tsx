import type { TaskRow, TaskSection } from '@stoa/client';
import { useEffect, useRef } from 'react';
import { elapsedText } from '../ui/elapsed.js';
import { toneOf } from './task-tone.js';

interface TaskListProps {
  readonly sections: readonly TaskSection[];
  readonly chosen: string | undefined;
  readonly onChoose: (taskId: string) => void;
}

const optionId = (taskId: string): string => `task-${taskId}`;

/** Every task under the heading of its kind. */
export function TaskList({ sections, chosen, onChoose }: TaskListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Tasks"
      tabIndex={0}
      data-first-focus="true"
      aria-activedescendant={chosen === undefined ? undefined : optionId(chosen)}
      className="group/list max-h-[32%] shrink-0 overflow-y-auto border-b border-line bg-panel py-2 outline-none wide:max-h-none wide:w-72 wide:border-r wide:border-b-0"
    >
      {sections.map(({ kind, title, rows }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list.
        <div key={kind} role="group" aria-label={title} className="mb-2">
          {/* It is the name of the group already. */}
          <p aria-hidden="true" className="px-3 py-1 text-xs font-semibold text-faint capitalize">
            {title} <span className="font-normal">{rows.length}</span>
          </p>
          {rows.map((row) => (
            <Row
              key={row.taskId}
              row={row}
              isChosen={row.taskId === chosen}
              onChoose={() => onChoose(row.taskId)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface RowProps {
  readonly row: TaskRow;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Row({ row, isChosen, onChoose }: RowProps) {
  const { taskId, title, status, elapsedMs, needsApproval } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the dialog.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and says which one is active.
    <div
      id={optionId(taskId)}
      role="option"
      aria-selected={isChosen}
      onClick={onChoose}
      className={`cursor-pointer border-l-2 px-3 py-1 ${isChosen ? 'border-accent bg-hover group-focus-visible/list:bg-accent-wash' : 'border-transparent hover:bg-hover'}`}
    >
      <p className="truncate text-[13px]" title={title}>
        {title}
      </p>
      <p className="flex gap-2 text-xs text-faint">
        <span className={`truncate ${toneOf(status)}`}>{status}</span>
        {needsApproval ? <span className="shrink-0 text-warn">approval needed</span> : null}
        {elapsedMs === undefined ? null : (
          <span className="ml-auto shrink-0 tabular-nums">{elapsedText(elapsedMs)}</span>
        )}
      </p>
    </div>
  );
}
