import type { InboxItem, Run, Session, Stamped, Task, UsageReport } from '@stoa/protocol';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { client } from '../data/client.js';
import { live, useTopic, useWhileLive } from '../data/live.js';
import { keys, queryClient } from '../data/queries.js';
import { refreshSoon } from '../data/refresh-soon.js';
import { workKeys } from '../data/work.js';
import { toast } from '../ui/toast.js';
import { type JournalView, SessionJournal } from './session-journal.js';

export function useSession(sessionId: string): UseQueryResult<Session> {
  return useQuery({
    queryKey: keys.session(sessionId),
    queryFn: () => client.sessions.get(sessionId),
    placeholderData: () =>
      queryClient
        .getQueryData<readonly Session[]>(keys.sessions)
        ?.find((session) => session.sessionId === sessionId),
  });
}

/** Newest first. */
export function useRuns(sessionId: string): UseQueryResult<readonly Run[]> {
  return useQuery({
    queryKey: workKeys.runs(sessionId),
    queryFn: async () => (await client.sessions.runs(sessionId, { limit: 50 })).runs,
  });
}

/** Newest first. */
export function useSessionInbox(sessionId: string): UseQueryResult<readonly InboxItem[]> {
  return useQuery({
    queryKey: workKeys.inbox(sessionId),
    queryFn: async () => (await client.sessions.inbox(sessionId, { limit: 50 })).items,
  });
}

export function useSessionTasks(sessionId: string): UseQueryResult<readonly Task[]> {
  return useQuery({
    queryKey: workKeys.tasksOf(sessionId),
    queryFn: async () => (await client.tasks.list({ sessionId, limit: 50 })).tasks,
  });
}

export function useSessionUsage(sessionId: string): UseQueryResult<UsageReport> {
  return useQuery({
    queryKey: workKeys.usage(sessionId),
    queryFn: () => client.usage({ sessionId, by: 'model' }),
  });
}

export interface OpenJournal {
  readonly view: JournalView;
  readonly loadOlder: () => void;
}

export function useJournal(sessionId: string): OpenJournal {
  const [journal] = useState(() => new SessionJournal(sessionId, { client, live }));
  const view = useSyncExternalStore(journal.watch, () => journal.view);
  useWhileLive(() => journal.recover());
  return { view, loadOlder: () => void journal.loadOlder().catch(toast.problem) };
}

/** Has read again what an event of the session has made old. */
export function useFreshSession(sessionId: string): void {
  useTopic(`session:${sessionId}`, (signal) => {
    if (signal.type === 'item') {
      if ('seq' in signal.item) onEvent(sessionId, signal.item);
      return;
    }
    refreshSoon(keys.session(sessionId));
    refreshSoon(workKeys.runs(sessionId));
    refreshSoon(workKeys.inbox(sessionId));
  });
  // What was kept from an earlier look may be old by now: nobody listened.
  useEffect(() => {
    refreshSoon(workKeys.tasksOf(sessionId));
    refreshSoon(workKeys.usage(sessionId));
  }, [sessionId]);
}

function onEvent(sessionId: string, event: Stamped): void {
  switch (event.type) {
    case 'accepted':
    case 'delivered':
    case 'dropped':
    case 'dead_lettered':
    case 'requeued':
      refreshSoon(workKeys.inbox(sessionId));
      break;
    case 'model_message':
    case 'usage_reported':
    case 'upkeep_reported':
      refreshSoon(workKeys.usage(sessionId));
      break;
    case 'queued':
    case 'started':
    case 'resumed':
    case 'waiting_approval':
    case 'approval_settled':
    case 'completed':
    case 'cancelled':
    case 'failed':
    case 'interrupted':
      refreshSoon(workKeys.runs(sessionId));
      refreshSoon(keys.session(sessionId));
      break;
    case 'session_updated':
    case 'session_refreshed':
    case 'session_cleared':
    case 'session_ended':
      refreshSoon(keys.session(sessionId));
      break;
    default:
      if (event.type.startsWith('background_task_')) refreshSoon(workKeys.tasksOf(sessionId));
      break;
  }
}
