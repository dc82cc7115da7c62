import { useEffect, useState } from 'react';
import { client } from '../data/client.js';
import { ToEnd } from '../ui/to-end.js';
import { useStickToEnd } from '../ui/use-stick-to-end.js';
import { followOutput, type ShownOutput } from './follow-output.js';

const LOADING: ShownOutput = { state: 'loading', text: '', isCut: false };

/** What a task puts out. */
export function OutputView({
  taskId,
  isLive,
}: {
  readonly taskId: string;
  readonly isLive: boolean;
}) {
  const { state, text, isCut } = useTaskOutput(taskId, isLive);
  const { box, isAtEnd, toEnd, onScroll } = useStickToEnd(text);
  if (state === 'none') return null;
  return (
    <section aria-label="Output" className="relative flex min-h-40 grow flex-col short:h-40">
      <div className="flex h-6 items-center gap-2 text-xs text-faint">
        <h4 className="font-semibold">Output</h4>
        {state === 'following' && isLive ? (
          <span className="flex items-center gap-1 text-good">
            <span className="size-1.5 rounded-full bg-good motion-safe:animate-pulse" />
            live
          </span>
        ) : null}
        {state === 'away' ? (
          <span className="text-warn">paused while the daemon is offline</span>
        ) : null}
        {state === 'failed' ? <span className="text-danger">cannot load the output</span> : null}
        {isCut ? <span>the beginning is not shown</span> : null}
      </div>
      <div
        ref={box}
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard.
        tabIndex={0}
        onScroll={onScroll}
        className="min-h-0 grow overflow-auto rounded-md border border-line bg-code px-3 py-2"
      >
        <pre className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">
          {text === '' && state !== 'loading' && state !== 'away' ? (
            <span className="text-faint">No output yet.</span>
          ) : (
            text
          )}
        </pre>
      </div>
      {isAtEnd ? null : <ToEnd onClick={toEnd} />}
    </section>
  );
}

/** The end of what a task put out, and what it puts out while one looks. */
function useTaskOutput(taskId: string, isLive: boolean): ShownOutput {
  const [shown, setShown] = useState(LOADING);
  // A task that has ended may be revived, and then there is more to follow.
  useEffect(() => {
    const stop = new AbortController();
    void followOutput(client.tasks, taskId, isLive, stop.signal, setShown);
    return () => stop.abort();
  }, [taskId, isLive]);
  return shown;
}
