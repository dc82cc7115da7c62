import type { Stamped } from '@stoa/protocol';
import { useEffect } from 'react';
import { useTopic } from '../data/live.js';
import { keys, useMe, useSessions } from '../data/queries.js';
import { refreshSoon } from '../data/refresh-soon.js';
import { useTasks, workKeys } from '../data/work.js';

/** Renders nothing: follows the sessions and the reader's approvals, and refreshes the cached data. */
export function FollowWork() {
  const { data: me } = useMe();
  const { data: sessions } = useSessions();
  useTopic(me?.actorId, (signal) => {
    if (signal.type !== 'item') refreshSoon(workKeys.approvals);
    else if ('seq' in signal.item) onOwnEvent(signal.item);
  });
  useNewSessions();
  return sessions?.map(({ sessionId }) => <FollowSession key={sessionId} sessionId={sessionId} />);
}

const requested = new Set<string>();

/** A task may belong to a session that is not listed yet: the list is refreshed once for it. */
function useNewSessions(): void {
  const { data: tasks } = useTasks();
  const { data: sessions } = useSessions();
  useEffect(() => {
    if (!tasks || !sessions) return;
    const known = new Set(sessions.map(({ sessionId }) => sessionId));
    for (const { sessionId } of tasks) {
      if (known.has(sessionId) || requested.has(sessionId)) continue;
      requested.add(sessionId);
      refreshSoon(keys.sessions);
    }
  }, [tasks, sessions]);
}

function FollowSession({ sessionId }: { readonly sessionId: string }) {
  useTopic(`session:${sessionId}`, (signal) => {
    if (signal.type !== 'item') {
      refreshSoon(workKeys.tasks);
      refreshSoon(workKeys.approvals);
    } else if ('seq' in signal.item) {
      onSessionEvent(signal.item);
    }
  });
  return null;
}

function onOwnEvent(event: Stamped): void {
  if (event.type !== 'approval_requested' && event.type !== 'approval_closed') return;
  refreshSoon(workKeys.approvals);
  refreshSoon(workKeys.tasks);
  refreshSoon(keys.sessions);
}

function onSessionEvent(event: Stamped): void {
  switch (event.type) {
    case 'background_task_created':
    case 'background_task_changed':
    case 'background_task_ended':
    case 'background_task_handed_over':
    case 'background_task_received':
    case 'background_task_evicted':
      refreshSoon(workKeys.tasks);
      // A background agent has its own session.
      if (event.type === 'background_task_created') refreshSoon(keys.sessions);
      break;
    case 'waiting_approval':
    case 'approval_settled':
      refreshSoon(workKeys.approvals);
      refreshSoon(workKeys.tasks);
      refreshSoon(keys.sessions);
      break;
    case 'queued':
    case 'started':
    case 'completed':
    case 'cancelled':
    case 'failed':
    case 'interrupted':
      refreshSoon(keys.sessions);
      // Servers are connected to when a run needs them.
      refreshSoon(workKeys.mcpServers);
      break;
    case 'session_updated':
    case 'session_ended':
      refreshSoon(keys.sessions);
      break;
    default:
      break;
  }
}
