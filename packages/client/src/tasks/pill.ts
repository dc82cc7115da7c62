import type { McpServerHealth, Task } from '@stoa/protocol';
import { isTerminalTaskStatus } from '@stoa/protocol/constants';
import { counted, type TaskPresenters, taskPresenters } from './presenters.js';

/**
 * A short text for a status bar: active tasks, otherwise paused ones, otherwise the number of ended ones. Undefined
 * if there are none.
 */
export function pillLabel(
  tasks: readonly Task[],
  presenters: TaskPresenters = taskPresenters,
): string | undefined {
  const shown = tasks.filter(
    ({ kind, isForeground }) => !isForeground || presenters.of(kind).countsForeground,
  );
  if (shown.length === 0) return undefined;
  const mark = shown.some(({ pendingApprovals }) => pendingApprovals > 0)
    ? ' ⚠ approval needed'
    : '';
  return `${counts(shown, presenters)}${mark}`;
}

function counts(shown: readonly Task[], presenters: TaskPresenters): string {
  const live = shown.filter(({ status }) => status === 'running' || status === 'queued');
  if (live.length > 0) return byKind(live, presenters);
  const paused = shown.filter(({ status }) => !isTerminalTaskStatus(status));
  if (paused.length > 0) return `${byKind(paused, presenters)} paused`;
  return `${counted(shown.length, 'task')} done`;
}

function byKind(tasks: readonly Task[], presenters: TaskPresenters): string {
  const counts = new Map<string, number>();
  for (const { kind } of tasks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts]
    .sort(([left], [right]) => presenters.compare(left, right))
    .map(([kind, count]) => counted(count, presenters.of(kind).one, presenters.of(kind).many))
    .join(', ');
}

/** Beside the pill: the MCP servers that cannot be reached, without those that are connecting. */
export function mcpLabel(servers: readonly McpServerHealth[]): string | undefined {
  const offline = servers.filter(({ state }) => state === 'offline').length;
  return offline === 0 ? undefined : `${counted(offline, 'MCP')} offline`;
}
