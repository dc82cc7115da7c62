import { useApprovals } from '../data/work.js';
import { openApprovals } from '../status-bar/opened.js';
import { Button } from '../ui/button.js';
import { visibleText } from '../ui/visible-text.js';

/** What the session waits for; the answer is given in the inbox. */
export function WaitingStrip({ sessionId }: { readonly sessionId: string }) {
  const { data: approvals } = useApprovals();
  return approvals
    ?.filter((approval) => approval.sessionId === sessionId)
    .map(({ approvalId, title }) => (
      <div
        key={approvalId}
        role="status"
        className="mx-3 mb-1 flex items-center gap-2 rounded-md bg-warn-wash px-3 py-1.5 text-[13px] text-warn wide:mx-4"
      >
        <p className="min-w-0 grow truncate">Waits for you: {visibleText(title)}</p>
        <Button className="h-7" onClick={() => openApprovals(approvalId)}>
          Look
        </Button>
      </div>
    ));
}
