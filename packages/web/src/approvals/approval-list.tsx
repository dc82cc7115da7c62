import type { Approval } from '@stoa/protocol';
import { useSessions } from '../data/queries.js';
import { Choice, ChoiceList } from '../ui/choice-list.js';
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
  return (
    <ChoiceList label="Waiting" chosen={chosen}>
      {approvals.map(({ approvalId, title, kind, sessionId, createdAt, state }) => {
        const session = sessions?.find((each) => each.sessionId === sessionId);
        return (
          <Choice
            key={approvalId}
            id={approvalId}
            isChosen={approvalId === chosen}
            isFaint={state !== 'pending'}
            onChoose={() => onChoose(approvalId)}
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
          </Choice>
        );
      })}
    </ChoiceList>
  );
}
