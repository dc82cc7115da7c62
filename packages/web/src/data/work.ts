import type { Approval, McpServerHealth, Task } from '@stoa/protocol';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { client } from './client.js';

/** Session topics report tasks; polling finds those of sessions that are not followed yet. */
const POLL_MS = 10_000;
const PAGE = 200;

/** A shorter name stands for all that begin with it. */
export const workKeys = {
  tasks: ['tasks'],
  allTasks: ['tasks', 'all'],
  tasksOf: (sessionId: string) => ['tasks', 'of', sessionId],
  task: (taskId: string) => ['tasks', 'one', taskId],
  approvals: ['approvals'],
  mcpServers: ['mcp-servers'],
  runs: (sessionId: string) => ['runs', sessionId],
  inbox: (sessionId: string) => ['inbox', sessionId],
  usage: (sessionId: string) => ['session-usage', sessionId],
} as const;

/** Those that live, newest start first; then those that ended, newest end first. */
export function useTasks(): UseQueryResult<readonly Task[]> {
  return useQuery({
    queryKey: workKeys.allTasks,
    queryFn: async () => (await client.tasks.list({ limit: PAGE })).tasks,
    refetchInterval: POLL_MS,
  });
}

/** One that may have left the list. */
export function useTask(taskId: string | undefined): UseQueryResult<Task> {
  return useQuery({
    queryKey: workKeys.task(taskId ?? ''),
    queryFn: () => client.tasks.get(taskId ?? ''),
    enabled: taskId !== undefined,
  });
}

/** What waits for an answer, the longest wait first: what comes in goes to the end and moves nothing. */
export function useApprovals(): UseQueryResult<readonly Approval[]> {
  return useQuery({
    queryKey: workKeys.approvals,
    queryFn: async () => {
      const { approvals } = await client.approvals.list({ state: 'pending', limit: PAGE });
      return approvals.toSorted((left, right) => left.createdAt - right.createdAt);
    },
    refetchInterval: POLL_MS,
  });
}

export function useMcpServers(): UseQueryResult<readonly McpServerHealth[]> {
  return useQuery({
    queryKey: workKeys.mcpServers,
    queryFn: () => client.agents.mcpServers(),
    refetchInterval: POLL_MS,
  });
}
