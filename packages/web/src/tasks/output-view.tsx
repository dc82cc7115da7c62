import { useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../ui/icon.js';
import { useTaskOutput } from './use-task-output.js';

/** How near to the end counts as at the end. */
const NEAR_PX = 24;

/** What a task puts out. It follows as long as its end is looked at; who scrolls up is left in peace. */
export function OutputView({
  taskId,
  isLive,
}: {
  readonly taskId: string;
  readonly isLive: boolean;
}) {
  const { state, text, isCut } = useTaskOutput(taskId, isLive);
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: to be done whenever there is more text.
  useLayoutEffect(() => {
    if (isAtEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isAtEnd, text]);
  if (state === 'none') return null;
  const look = (): void => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR_PX);
  };
  return (
    <section aria-label="Output" className="relative flex min-h-40 grow flex-col">
      <div className="flex h-6 items-center gap-2 text-xs text-faint">
        <h4 className="font-semibold">Output</h4>
        {state === 'following' && isLive ? (
          <span className="flex items-center gap-1 text-good">
            <span className="size-1.5 rounded-full bg-good motion-safe:animate-pulse" />
            live
          </span>
        ) : null}
        {state === 'failed' ? <span className="text-danger">cannot be read</span> : null}
        {isCut ? <span>the beginning is left out</span> : null}
      </div>
      <div
        ref={box}
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard.
        tabIndex={0}
        onScroll={look}
        className="min-h-0 grow overflow-auto rounded-md border border-line bg-code px-3 py-2"
      >
        <pre className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">
          {text === '' && state !== 'loading' ? (
            <span className="text-faint">Nothing so far.</span>
          ) : (
            text
          )}
        </pre>
      </div>
      {isAtEnd ? null : (
        <button
          type="button"
          onClick={() => setAtEnd(true)}
          className="absolute right-4 bottom-3 flex items-center gap-1 rounded-full border border-line bg-raised px-2.5 py-1 text-xs shadow-raised hover:bg-hover"
        >
          <Icon name="down" className="size-3" />
          To the end
        </button>
      )}
    </section>
  );
}
