import type { ReadCursor, Stamped } from '@stoa/protocol';
import { useTopic, useTopics } from './live.js';
import type { LiveSignal } from './live-hub.js';
import { keys, queryClient, useChannels, useMe, useUnread } from './queries.js';
import { readUpTo, saidIn } from './unread.js';

/** Hears what concerns the reader and every channel, and brings what is kept of them up to date. */
export function useFreshData(): void {
  const { data: me } = useMe();
  const { data: channels } = useChannels();
  useUnread();
  useTopic(me?.actorId, (signal) => {
    if (signal.type !== 'item') readAgain(signal, keys.unread);
    else if ('seq' in signal.item) heardAboutMe(signal.item);
  });
  useTopics(channels?.map(({ channelId }) => `channel:${channelId}`) ?? [], (signal, topic) => {
    const channelId = topic.slice('channel:'.length);
    if (signal.type === 'item') {
      if ('seq' in signal.item) heardInChannel(channelId, signal.item, me?.actorId);
      return;
    }
    readAgain(signal, keys.unread);
    readAgain(signal, keys.channel(channelId));
  });
}

/** `ready` says that nothing is missed from now on, which is as it was when this was read just before. */
function readAgain(signal: LiveSignal, queryKey: readonly unknown[]): void {
  if (signal.type !== 'ready') void queryClient.invalidateQueries({ queryKey });
}

function heardAboutMe(event: Stamped): void {
  if (event.type !== 'read_cursor_moved') return;
  const { channelId, readSeq } = event.data;
  queryClient.setQueryData<readonly ReadCursor[]>(
    keys.unread,
    (cursors) => cursors && readUpTo(cursors, channelId, readSeq),
  );
  void queryClient.invalidateQueries({ queryKey: keys.unread });
}

function heardInChannel(channelId: string, event: Stamped, me: string | undefined): void {
  switch (event.type) {
    case 'message_posted':
      if (event.data.author.id === me) break;
      queryClient.setQueryData<readonly ReadCursor[]>(
        keys.unread,
        (cursors) => cursors && saidIn(cursors, channelId),
      );
      break;
    case 'channel_updated':
    case 'channel_archived':
    case 'channel_unarchived':
    case 'channel_deleted':
    case 'asset_pinned':
    case 'asset_unpinned':
      void queryClient.invalidateQueries({ queryKey: keys.channels });
      void queryClient.invalidateQueries({ queryKey: keys.channel(channelId) });
      break;
    case 'member_joined':
    case 'member_updated':
    case 'member_left':
      void queryClient.invalidateQueries({ queryKey: keys.members(channelId) });
      void queryClient.invalidateQueries({ queryKey: keys.channel(channelId) });
      void queryClient.invalidateQueries({ queryKey: keys.unread });
      break;
    default:
      break;
  }
}
