import type { ReadCursor, Stamped } from '@stoa/protocol';
import { useEffect, useRef } from 'react';
import { useConnection, useTopic, useTopics } from './live.js';
import { changedBy } from './message-list.js';
import { keys, queryClient, useChannels, useMe, useUnread } from './queries.js';
import { refreshSoon } from './refresh-soon.js';
import { readUpTo, withUnread } from './unread.js';

/**
 * Follows the topics of the reader and of every channel, and updates the cached data. The one that
 * is shown may be too new to be listed, or archived.
 */
export function useFreshData(shownChannelId: string | undefined): void {
  const { data: me } = useMe();
  const { data: channels } = useChannels();
  useUnread();
  useReadAgainWhenBack();
  useTopic(me?.actorId, (signal) => {
    if (signal.type !== 'item') refreshSoon(keys.unread);
    else if ('seq' in signal.item) onOwnEvent(signal.item);
  });
  const channelIds = [
    ...(channels ?? []).map(({ channelId }) => channelId),
    ...(shownChannelId === undefined ? [] : [shownChannelId]),
  ];
  useTopics(
    channelIds.map((channelId) => `channel:${channelId}`),
    (signal, topic) => {
      const channelId = topic.slice('channel:'.length);
      if (signal.type === 'item') {
        if ('seq' in signal.item) onChannelEvent(channelId, signal.item, me?.actorId);
        return;
      }
      refreshSoon(keys.unread);
      if (signal.type === 'ended') {
        refreshSoon(keys.channels);
        return;
      }
      // What was read before anybody listened, or before events were lost, may be old.
      refreshSoon(keys.messagesOf(channelId));
      if (signal.type === 'gap') refreshSoon(keys.channel(channelId));
    },
  );
}

/** What is shown is asked for by itself, see asking.ts; what is not shown just now is when it is shown again. */
function useReadAgainWhenBack(): void {
  const connection = useConnection();
  const wasAway = useRef(false);
  useEffect(() => {
    if (connection === 'reconnecting') wasAway.current = true;
    if (connection !== 'live' || !wasAway.current) return;
    wasAway.current = false;
    void queryClient.invalidateQueries({ refetchType: 'none' });
  }, [connection]);
}

function onOwnEvent(event: Stamped): void {
  if (event.type !== 'read_cursor_moved') return;
  const { channelId, readSeq } = event.data;
  queryClient.setQueryData<readonly ReadCursor[]>(
    keys.unread,
    (cursors) => cursors && readUpTo(cursors, channelId, readSeq),
  );
  void queryClient.invalidateQueries({ queryKey: keys.unread });
}

function onChannelEvent(channelId: string, event: Stamped, me: string | undefined): void {
  for (const messageId of changedBy(event)) {
    void queryClient.invalidateQueries({ queryKey: keys.message(channelId, messageId) });
  }
  switch (event.type) {
    case 'message_posted':
      if (event.data.author.id === me) break;
      queryClient.setQueryData<readonly ReadCursor[]>(
        keys.unread,
        (cursors) => cursors && withUnread(cursors, channelId),
      );
      break;
    case 'channel_updated':
    case 'channel_archived':
    case 'channel_unarchived':
    case 'asset_pinned':
    case 'asset_unpinned':
      void queryClient.invalidateQueries({ queryKey: keys.channels });
      void queryClient.invalidateQueries({ queryKey: keys.channel(channelId) });
      break;
    case 'channel_deleted':
      void queryClient.invalidateQueries({ queryKey: keys.channels });
      break;
    case 'member_joined':
    case 'member_updated':
    case 'member_left':
      void queryClient.invalidateQueries({ queryKey: keys.members(channelId) });
      void queryClient.invalidateQueries({ queryKey: keys.channel(channelId) });
      void queryClient.invalidateQueries({ queryKey: keys.unread });
      // An agent often joins with a session that was made for it.
      if (event.type === 'member_joined') refreshSoon(keys.sessions);
      break;
    default:
      break;
  }
}
