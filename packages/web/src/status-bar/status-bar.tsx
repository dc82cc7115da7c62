import { mcpLabel, pillLabel } from '@stoa/client';
import { Suspense } from 'react';
import { late } from '../app/late.js';
import { useConnection } from '../data/live.js';
import { useApprovals, useMcpServers, useTasks } from '../data/work.js';
import { useKey } from '../keys/registry.js';
import { Icon } from '../ui/icon.js';
import { FollowWork } from './follow-work.js';
import {
  closeWork,
  type Opened,
  openApprovals,
  openMcpServers,
  openTasks,
  useOpened,
} from './opened.js';

const TasksDialog = late(async () => (await import('../tasks/tasks-dialog.js')).TasksDialog);

const ApprovalsDialog = late(
  async () => (await import('../approvals/approvals-dialog.js')).ApprovalsDialog,
);

const McpDialog = late(async () => (await import('./mcp-dialog.js')).McpDialog);

const SHOWN = {
  connecting: { word: 'Connecting…', dot: 'bg-warn' },
  live: { word: 'Connected', dot: 'bg-good' },
  reconnecting: { word: 'Reconnecting…', dot: 'bg-danger' },
  refused: { word: 'Logged out', dot: 'bg-danger' },
} as const;

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

/** How much waits for the reader's answer; opens the inbox. */
function ApprovalsCount() {
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
      {count} waiting for you
    </button>
  );
}

function ConnectionState() {
  const { word, dot } = SHOWN[useConnection()];
  return (
    <span className="ml-auto flex items-center gap-1.5 whitespace-nowrap">
      <span className={`size-1.5 rounded-full ${dot}`} />
      {word}
    </span>
  );
}

/** How many MCP servers cannot be reached; nothing while all is well. */
function McpHealth() {
  const { data: servers = [] } = useMcpServers();
  const label = mcpLabel(servers);
  if (label === undefined) return null;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={openMcpServers}
      className="flex items-center gap-1.5 whitespace-nowrap text-danger hover:underline"
    >
      <span className="size-1.5 rounded-full bg-danger" />
      {label}
    </button>
  );
}

/** What runs in the background, in a few words; opens the tasks. */
function Pill() {
  const { data: tasks = [] } = useTasks();
  const label = pillLabel(tasks);
  if (label === undefined) return null;
  const isLive = tasks.some(({ status }) => status === 'running' || status === 'queued');
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={`Background tasks: ${label}`}
      onClick={() => openTasks()}
      className="flex h-5 min-w-0 items-center gap-1.5 rounded-full border border-line bg-raised px-2 hover:bg-hover hover:text-ink"
    >
      <span
        className={`size-1.5 shrink-0 rounded-full ${isLive ? 'bg-accent motion-safe:animate-pulse' : 'bg-faint'}`}
      />
      <span className="truncate">{label}</span>
    </button>
  );
}

function WorkDialogs() {
  const opened = useOpened();
  useKey('g t', { does: 'Background tasks' }, () => openTasks());
  useKey('g a', { does: 'Waiting for your answer' }, () => openApprovals());
  return <Suspense>{opened === undefined ? null : dialogOf(opened)}</Suspense>;
}

function dialogOf(opened: Opened) {
  switch (opened.name) {
    case 'tasks':
      return <TasksDialog taskId={opened.taskId} onClose={closeWork} />;
    case 'approvals':
      return <ApprovalsDialog approvalId={opened.approvalId} onClose={closeWork} />;
    case 'mcp':
      return <McpDialog onClose={closeWork} />;
  }
}
