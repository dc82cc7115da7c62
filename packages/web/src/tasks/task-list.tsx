import type { TaskRow, TaskSection } from '@stoa/client';
import { Choice, ChoiceList } from '../ui/choice-list.js';
import { elapsedText } from '../ui/elapsed.js';
import { visibleText } from '../ui/visible-text.js';
import { toneOf } from './task-tone.js';

interface TaskListProps {
  readonly sections: readonly TaskSection[];
  readonly chosen: string | undefined;
  readonly onChoose: (taskId: string) => void;
}

/** Every task under the heading of its kind. */
export function TaskList({ sections, chosen, onChoose }: TaskListProps) {
  return (
    <ChoiceList label="Tasks" chosen={chosen}>
      {sections.map(({ kind, title, rows }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list.
        <div key={kind} role="group" aria-label={title} className="mb-2">
          {/* It is the name of the group already. */}
          <p aria-hidden="true" className="px-3 py-1 text-xs font-semibold text-faint capitalize">
            {title} <span className="font-normal">{rows.length}</span>
          </p>
          {rows.map((row) => (
            <Choice
              key={row.taskId}
              id={row.taskId}
              isChosen={row.taskId === chosen}
              onChoose={() => onChoose(row.taskId)}
            >
              <Lines row={row} />
            </Choice>
          ))}
        </div>
      ))}
    </ChoiceList>
  );
}

function Lines({ row: { title, status, elapsedMs, needsApproval } }: { readonly row: TaskRow }) {
  const shown = visibleText(title);
  return (
    <>
      <p className="truncate text-[13px]" title={shown}>
        {shown}
      </p>
      <p className="flex gap-2 text-xs text-faint">
        <span className={`truncate ${toneOf(status)}`}>{status}</span>
        {needsApproval ? <span className="shrink-0 text-warn">approval needed</span> : null}
        {elapsedMs === undefined ? null : (
          <span className="ml-auto shrink-0 tabular-nums">{elapsedText(elapsedMs)}</span>
        )}
      </p>
    </>
  );
}
