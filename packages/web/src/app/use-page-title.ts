import { useEffect } from 'react';
import { useChannels, useSessions, useUnread } from '../data/queries.js';
import { pageTitle } from './page-title.js';
import type { PageAddress } from './routes.js';
import { type Names, titleOf } from './screens.js';

export function usePageTitle(page: PageAddress | undefined): void {
  const names = useNames();
  const name = page && titleOf(page, names);
  const { data: cursors = [] } = useUnread();
  const unread = cursors.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
  useEffect(() => {
    document.title = pageTitle(name, unread);
  }, [name, unread]);
}

function useNames(): Names {
  const { data: channels } = useChannels();
  const { data: sessions } = useSessions();
  return {
    channel: (id) => channels?.find(({ channelId }) => channelId === id)?.title ?? id,
    session(id) {
      const session = sessions?.find(({ sessionId }) => sessionId === id);
      return session?.title ?? session?.agentName ?? 'Session';
    },
  };
}
