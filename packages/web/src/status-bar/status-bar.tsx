import { ApprovalsCount } from './approvals-count.js';
import { ConnectionState } from './connection-state.js';
import { FollowWork } from './follow-work.js';
import { McpHealth } from './mcp-health.js';
import { Pill } from './pill.js';
import { WorkDialogs } from './work-dialogs.js';

/** What goes on besides the conversation, in one line, or two where the screen is narrow. Each part is a component that may show nothing. */
export function StatusBar() {
  return (
    <>
      <footer
        aria-label="Status"
        className="flex min-h-7 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line bg-panel px-3 py-1 text-xs text-soft"
      >
        <Pill />
        <ApprovalsCount />
        <McpHealth />
        <ConnectionState />
      </footer>
      <FollowWork />
      <WorkDialogs />
    </>
  );
}
