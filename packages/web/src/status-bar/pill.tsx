import { pillLabel } from '@stoa/client';
import { useTasks } from '../data/work.js';
import { openTasks } from './opened.js';

/** What runs in the background, in a few words; opens the tasks. */
export function Pill() {
  const { data: tasks = [] } = useTasks();
  const label = pillLabel(tasks);
  if (label === undefined) return null;
  const isLive = tasks.some(({ status }) => status === 'running' || status === 'queued');
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={`Background tasks: ${label}`}
      onClick={() => openTasks()}
      className="flex h-5 min-w-0 items-center gap-1.5 rounded-full border border-line bg-raised px-2 hover:bg-hover hover:text-ink"
    >
      <span
        className={`size-1.5 shrink-0 rounded-full ${isLive ? 'bg-accent motion-safe:animate-pulse' : 'bg-faint'}`}
      />
      <span className="truncate">{label}</span>
    </button>
  );
}
