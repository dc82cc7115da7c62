import type { Approval } from '@stoa/protocol';
import { useEffect, useRef } from 'react';
import { useSessions } from '../data/queries.js';
import { elapsedText, useNow } from '../ui/elapsed.js';
import { visibleText } from '../ui/visible-text.js';

interface ApprovalListProps {
  readonly approvals: readonly Approval[];
  readonly chosen: string | undefined;
  readonly onChoose: (approvalId: string) => void;
}

export function ApprovalList({ approvals, chosen, onChoose }: ApprovalListProps) {
  const now = useNow();
  const { data: sessions } = useSessions();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Waiting"
      tabIndex={0}
      data-first-focus="true"
      aria-activedescendant={chosen === undefined ? undefined : `approval-${chosen}`}
      className="group/list max-h-[28%] shrink-0 overflow-y-auto border-b border-line bg-panel py-2 outline-none wide:max-h-none wide:w-72 wide:border-r wide:border-b-0"
    >
      {approvals.map(({ approvalId, title, kind, sessionId, createdAt, state }) => {
        const session = sessions?.find((each) => each.sessionId === sessionId);
        const isChosen = approvalId === chosen;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the dialog.
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and says which one is active.
          <div
            key={approvalId}
            id={`approval-${approvalId}`}
            role="option"
            aria-selected={isChosen}
            onClick={() => onChoose(approvalId)}
            className={`cursor-pointer border-l-2 px-3 py-1 ${isChosen ? 'border-accent bg-hover group-focus-visible/list:bg-accent-wash' : 'border-transparent hover:bg-hover'} ${state === 'pending' ? '' : 'opacity-60'}`}
          >
            <p className="truncate text-[13px]">{visibleText(title)}</p>
            <p className="flex gap-2 text-xs text-faint">
              <span className="truncate">
                {kind === 'question' ? 'question' : 'approval'}
                {session ? ` · ${session.title ?? session.agentName}` : ''}
              </span>
              <span className="ml-auto shrink-0 tabular-nums">
                {state === 'pending' ? elapsedText(now - createdAt) : state}
              </span>
            </p>
          </div>
        );
      })}
    </div>
  );
}
