import type { Session } from '@stoa/protocol';
import { memo, useMemo } from 'react';
import { Markdown } from '../message/markdown.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/empty.js';
import { ToEnd } from '../ui/to-end.js';
import { useStickToEnd } from '../ui/use-stick-to-end.js';
import { JournalRowView, Speaker } from './journal-row.js';
import { type JournalRow, journalRows } from './journal-rows.js';
import type { JournalView } from './session-journal.js';

interface JournalProps {
  readonly view: JournalView;
  readonly session: Session;
  readonly onOlder: () => void;
}

export function Journal({ view, session, onOlder }: JournalProps) {
  const { events, writing, hasOlder, status, problem } = view;
  const [rows, waiting] = useMemo(() => {
    const all = journalRows(events);
    const isWaiting = (row: JournalRow): boolean => row.type === 'asked' && row.isWaiting;
    return [all.filter((row) => !isWaiting(row)), all.filter(isWaiting)];
  }, [events]);
  const { box, isAtEnd, toEnd, onScroll } = useStickToEnd(view, rows[0]?.key);
  if (status === 'failed') {
    return <Empty title="The journal cannot be read">{problem ?? 'Try again in a moment.'}</Empty>;
  }
  const isEmpty = status === 'ready' && rows.length === 0 && writing === '';
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <div
        ref={box}
        role="log"
        aria-label="Journal"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard.
        tabIndex={0}
        onScroll={onScroll}
        className="min-h-0 grow overflow-y-auto px-3 py-3 wide:px-4"
      >
        {hasOlder ? (
          <Button look="quiet" className="mx-auto mb-2 flex" onClick={onOlder}>
            Show earlier
          </Button>
        ) : null}
        {isEmpty ? (
          <Empty title="Nothing has happened here yet">
            Your prompts to {session.agentName} and its work appear here.
          </Empty>
        ) : null}
        <Rows rows={rows} />
        {writing === '' ? null : (
          <div className="mt-2" data-writing="true" aria-live="off">
            <Speaker name={session.agentName} note="is writing" />
            <Markdown text={writing} />
          </div>
        )}
        <Rows rows={waiting} />
      </div>
      {isAtEnd ? null : <ToEnd onClick={toEnd} />}
    </div>
  );
}

/** Those before are laid out by the browser only when they come near the screen. */
const NEAR_ROWS = 60;

/** Not drawn again for each word that is being written below. */
const Rows = memo(function Rows({ rows }: { readonly rows: readonly JournalRow[] }) {
  return rows.map((row, index) => (
    <div
      key={row.key}
      className={`first:*:mt-0 ${index < rows.length - NEAR_ROWS ? '[content-visibility:auto] [contain-intrinsic-size:auto_3rem]' : ''}`}
    >
      <JournalRowView row={row} />
    </div>
  ));
});
