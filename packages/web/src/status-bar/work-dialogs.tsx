import { Suspense } from 'react';
import { late } from '../app/late.js';
import { useKey } from '../keys/registry.js';
import { closeWork, type Opened, openApprovals, openTasks, useOpened } from './opened.js';

const TasksDialog = late(async () => (await import('../tasks/tasks-dialog.js')).TasksDialog);
const ApprovalsDialog = late(
  async () => (await import('../approvals/approvals-dialog.js')).ApprovalsDialog,
);
const McpDialog = late(async () => (await import('./mcp-dialog.js')).McpDialog);

export function WorkDialogs() {
  const opened = useOpened();
  useKey('g t', { does: 'Background tasks' }, () => openTasks());
  useKey('g a', { does: 'What waits for your answer' }, () => openApprovals());
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
