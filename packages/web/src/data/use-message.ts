import type { Message } from '@stoa/protocol';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { client } from './client.js';
import { keys } from './queries.js';

/** One message, wherever in its channel it is, as it is now. */
export function useMessage(
  channelId: string,
  messageId: string | undefined,
): UseQueryResult<Message> {
  return useQuery({
    queryKey: keys.message(channelId, messageId ?? ''),
    queryFn: () => client.messages.get(channelId, messageId ?? ''),
    enabled: messageId !== undefined,
    // Events update it, see keep-fresh.ts.
    staleTime: Infinity,
  });
}
