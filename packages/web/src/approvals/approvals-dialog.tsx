import type { Approval } from '@stoa/protocol';
import { useRef, useState } from 'react';
import { Dialog } from '../ui/dialog.js';
import { Empty } from '../ui/empty.js';
import { KeyHints } from '../ui/kbd.js';
import { useDialogKeys } from '../ui/use-dialog-keys.js';
import { ApprovalCard, type CardKeys } from './approval-card.js';
import { ApprovalList } from './approval-list.js';
import { approvalHints, type CardMode } from './card-keys.js';
import { useInbox } from './use-inbox.js';

interface ApprovalsDialogProps {
  /** Which one to begin with. */
  readonly approvalId: string | undefined;
  readonly onClose: () => void;
}

/** A second press of the same key was meant for the one before. */
const READING_MS = 400;

/**
 * What waits for an answer. The next one is shown only when the reader has answered or chosen: a key that
 * was meant for a question that somebody else has just answered must not answer another.
 */
export function ApprovalsDialog({ approvalId, onClose }: ApprovalsDialogProps) {
  const { approvals, answer } = useInbox();
  const [chosen, setChosen] = useState(approvalId);
  const [mode, setMode] = useState<CardMode>('look');
  const [hasBegun, begin] = useState(approvalId !== undefined);
  const cardKeys = useRef<CardKeys>(undefined);
  const ledOnAt = useRef(-Infinity);
  const choose = (next: string | undefined): void => {
    if (next === chosen) return;
    setChosen(next);
    setMode('look');
  };
  const [first] = approvals ?? [];
  if (!hasBegun && first) {
    begin(true);
    choose(first.approvalId);
  }
  const at = approvals?.findIndex((each) => each.approvalId === chosen) ?? -1;
  const shown = approvals?.[at];
  const move = (step: number): void => {
    if (!approvals) return;
    const next = at === -1 ? 0 : Math.min(Math.max(at + step, 0), approvals.length - 1);
    choose(approvals[next]?.approvalId);
  };
  const respond = async (how: () => Promise<Approval>): Promise<void> => {
    if (!shown) return;
    const next = approvals[at + 1] ?? approvals[at - 1];
    const outcome = await answer(shown.approvalId, how);
    if (outcome !== 'taken') return;
    choose(next?.approvalId);
    ledOnAt.current = performance.now();
  };
  useDialogKeys((key) => {
    const isTooSoon = performance.now() - ledOnAt.current < READING_MS;
    if (isTooSoon && /^[asw1-9]$/.test(key)) return true;
    if (cardKeys.current?.(key) === true) return true;
    if (key === 'j' || key === 'ArrowDown') move(1);
    else if (key === 'k' || key === 'ArrowUp') move(-1);
    else return false;
    return true;
  });
  return (
    <Dialog title="Waiting for your answer" onClose={onClose} isPane>
      {approvals?.length === 0 ? (
        <Empty title="Nothing is waiting for you">
          Tool calls that need an approval and questions of agents appear here.
        </Empty>
      ) : (
        <div className="flex min-h-0 grow flex-col short:block short:overflow-y-auto wide:flex-row">
          <ApprovalList approvals={approvals ?? []} chosen={chosen} onChoose={choose} />
          {shown ? (
            <ApprovalCard
              key={shown.approvalId}
              approval={shown}
              mode={mode}
              setMode={setMode}
              keys={cardKeys}
              onRespond={respond}
              onClose={onClose}
            />
          ) : approvals ? (
            <Empty title={`${approvals.length} more to review`}>
              Choose the next one to review.
            </Empty>
          ) : null}
        </div>
      )}
      <KeyHints hints={approvalHints({ approval: shown, mode, count: approvals?.length ?? 0 })} />
    </Dialog>
  );
}
