import type { Channel, Member, ReadCursor, Session, Whoami } from '@stoa/protocol';
import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ASKED } from './asking.js';
import { client } from './client.js';

/**
 * What has no topic of its own (which channels and sessions there are) is asked for again after this
 * while, and when the window gets the focus. Live events keep everything else fresh.
 */
const POLL_MS = 30_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: POLL_MS,
      ...ASKED,
    },
    // A person learns immediately that an action failed.
    mutations: { networkMode: 'always' },
  },
});

/** Cache keys; code that changes data invalidates by them. */
export const keys = {
  me: ['me'],
  channels: ['channels'],
  channel: (channelId: string) => ['channel', channelId],
  members: (channelId: string) => ['members', channelId],
  messagesOf: (channelId: string) => ['message', channelId],
  message: (channelId: string, messageId: string) => ['message', channelId, messageId],
  unread: ['unread'],
  sessions: ['sessions'],
  session: (sessionId: string) => ['session', sessionId],
} as const;

export function useMe(): UseQueryResult<Whoami> {
  return useQuery({ queryKey: keys.me, queryFn: () => client.whoami(), staleTime: Infinity });
}

/** Every channel that is not archived, by title. */
export function useChannels(): UseQueryResult<readonly Channel[]> {
  return useQuery({
    queryKey: keys.channels,
    queryFn: async () => {
      const all: Channel[] = [];
      for await (const { channels } of client.channels.list.pages({ limit: 200 }))
        all.push(...channels);
      return all.sort((a, b) => a.title.localeCompare(b.title));
    },
    refetchInterval: POLL_MS,
  });
}

export function useChannel(channelId: string): UseQueryResult<Channel> {
  return useQuery({
    queryKey: keys.channel(channelId),
    queryFn: () => client.channels.get(channelId),
    placeholderData: () =>
      queryClient
        .getQueryData<readonly Channel[]>(keys.channels)
        ?.find((channel) => channel.channelId === channelId),
  });
}

export function useMembers(channelId: string): UseQueryResult<readonly Member[]> {
  return useQuery({
    queryKey: keys.members(channelId),
    queryFn: () => client.members.list(channelId),
  });
}

/** Those that have not ended, newest first. */
export function useSessions(): UseQueryResult<readonly Session[]> {
  return useQuery({
    queryKey: keys.sessions,
    queryFn: async () => (await client.sessions.list({ limit: 100 })).sessions.filter(isAlive),
    refetchInterval: POLL_MS,
  });
}

const isAlive = ({ status }: Session): boolean => status !== 'ended';

/** How far the reader has come in the channels they are a member of. */
export function useUnread(): UseQueryResult<readonly ReadCursor[]> {
  return useQuery({ queryKey: keys.unread, queryFn: () => client.unread() });
}
