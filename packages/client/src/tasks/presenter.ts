import type { Task } from '@stoa/protocol';

/** A line of a detail: a name and what is to be said under it. */
export type DetailLine = readonly [name: string, value: string];

/** How one kind of background task is shown. Everything else about showing tasks knows no kind. */
export interface TaskPresenter {
  readonly kind: string;
  /** What one of it is called, and several: `1 shell`, `2 shells`. */
  readonly one: string;
  readonly many: string;
  /** Whether one that a tool call waits for is counted too; commands come and go too quickly for that. */
  readonly countsForeground: boolean;
  /** What it does, in a line. */
  title(task: Task): string;
  /** What stands behind its status: `3 events`. */
  note?(task: Task): string | undefined;
  detail(task: Task): readonly DetailLine[];
  /** Whether it takes messages as it is now; without this, while it goes on and when it has completed. */
  takesMessage?(task: Task): boolean;
  /** What did not work though it went on. */
  warnings?(task: Task): readonly string[];
}
