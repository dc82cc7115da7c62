import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { IconButton } from './button.js';
import { Icon } from './icon.js';

/** A passing remark below, where nothing is needed next: that something worked, or why it did not. */
interface Remark {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
}

const SHOWN_MS = 6_000;

let remarks: readonly Remark[] = [];
let count = 0;
const watchers = new Set<() => void>();

function set(next: readonly Remark[]): void {
  remarks = next;
  for (const watcher of watchers) watcher();
}

function dismiss(id: number): void {
  set(remarks.filter((remark) => remark.id !== id));
}

function show(text: string, isProblem: boolean): void {
  count += 1;
  const id = count;
  set([...remarks.slice(-3), { id, text, isProblem }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export const toast = {
  tell: (text: string): void => show(text, false),
  /** Takes what was thrown; a problem of the daemon says in words what is wrong. */
  problem: (error: unknown): void =>
    show(error instanceof Error ? error.message : 'That did not work.', true),
};

export function Toasts() {
  const shown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => remarks,
  );
  const layer = useRef<HTMLDivElement>(null);
  // Above a dialog too, and above what one writes in: what was shown last lies on top.
  useLayoutEffect(() => {
    layer.current?.hidePopover();
    if (shown.length > 0) layer.current?.showPopover();
  }, [shown]);
  return (
    <div role="status" aria-live="polite">
      <div
        ref={layer}
        popover="manual"
        className="pointer-events-none fixed inset-auto bottom-24 left-1/2 m-0 flex w-80 max-w-[calc(100vw-1.5rem)] -translate-x-1/2 flex-col gap-2 overflow-visible border-0 bg-transparent p-0 text-ink"
      >
        {shown.map(({ id, text, isProblem }) => (
          <div
            key={id}
            className="pointer-events-auto flex items-start gap-2 rounded-md border border-line bg-raised px-3 py-2 text-[13px] shadow-raised"
          >
            {isProblem ? <Icon name="warning" className="mt-0.5 text-danger" /> : null}
            <p className="min-w-0 grow wrap-anywhere">{text}</p>
            <IconButton label="Dismiss" className="-m-1" onClick={() => dismiss(id)}>
              <Icon name="close" />
            </IconButton>
          </div>
        ))}
      </div>
    </div>
  );
}
