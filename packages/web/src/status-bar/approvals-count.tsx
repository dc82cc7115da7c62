import { useApprovals } from '../data/work.js';
import { Icon } from '../ui/icon.js';
import { openApprovals } from './opened.js';

/** How much waits for the reader's answer; opens the inbox. */
export function ApprovalsCount() {
  const { data: approvals = [] } = useApprovals();
  const count = approvals.length;
  if (count === 0) return null;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={() => openApprovals()}
      className="flex h-5 items-center gap-1 rounded-full bg-warn-wash px-2 font-medium whitespace-nowrap text-warn hover:underline"
    >
      <Icon name="warning" className="size-3" />
      {count === 1 ? '1 waits for you' : `${count} wait for you`}
    </button>
  );
}
