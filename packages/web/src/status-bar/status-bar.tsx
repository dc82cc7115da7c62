import { ApprovalsCount } from './approvals-count.js';
import { ConnectionState } from './connection-state.js';
import { HearWork } from './hear-work.js';
import { McpHealth } from './mcp-health.js';
import { Pill } from './pill.js';
import { WorkDialogs } from './work-dialogs.js';

/** What goes on besides the conversation, in one line. Each part is a component that may show nothing. */
export function StatusBar() {
  return (
    <>
      <footer
        aria-label="Status"
        className="flex h-7 shrink-0 items-center gap-3 border-t border-line bg-panel px-3 text-xs whitespace-nowrap text-soft"
      >
        <Pill />
        <ApprovalsCount />
        <McpHealth />
        <div className="grow" />
        <ConnectionState />
      </footer>
      <HearWork />
      <WorkDialogs />
    </>
  );
}
