import type { Message } from '@stoa/protocol';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { client } from './client.js';
import { useTopic } from './live.js';
import { changedBy } from './message-list.js';
import { queryClient } from './queries.js';

/** One message, wherever in its channel it is, as it is now. */
export function useMessage(
  channelId: string,
  messageId: string | undefined,
): UseQueryResult<Message> {
  const queryKey = ['message', messageId];
  useTopic(messageId === undefined ? undefined : `channel:${channelId}`, (signal) => {
    if (signal.type === 'ended') return;
    const isAbout =
      signal.type !== 'item' ||
      ('seq' in signal.item && changedBy(signal.item).includes(messageId ?? ''));
    if (isAbout) void queryClient.invalidateQueries({ queryKey });
  });
  return useQuery({
    queryKey,
    queryFn: () => client.messages.get(channelId, messageId ?? ''),
    enabled: messageId !== undefined,
  });
}
