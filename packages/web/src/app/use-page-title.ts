import { useEffect } from 'react';
import { useChannels, useSessions, useUnread } from '../data/queries.js';
import { pageTitle } from './page-title.js';
import type { Place } from './routes.js';

export function usePageTitle(place: Place): void {
  const where = useName(place);
  const { data: cursors = [] } = useUnread();
  const unread = cursors.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
  useEffect(() => {
    document.title = pageTitle(where, unread);
  }, [where, unread]);
}

function useName(place: Place): string | undefined {
  const { data: channels } = useChannels();
  const { data: sessions } = useSessions();
  const channelName = (id: string): string =>
    channels?.find(({ channelId }) => channelId === id)?.title ?? id;
  switch (place.name) {
    case 'channel':
      return channelName(place.channelId);
    case 'channel-settings':
      return `${channelName(place.channelId)}: settings`;
    case 'timeline':
      return `${channelName(place.channelId)}: timeline`;
    case 'session': {
      const session = sessions?.find(({ sessionId }) => sessionId === place.sessionId);
      return session?.title ?? session?.agentName ?? 'Session';
    }
    case 'settings':
      return 'Settings';
    case 'usage':
      return 'Usage';
    case 'home':
    case 'nowhere':
      return undefined;
  }
}
