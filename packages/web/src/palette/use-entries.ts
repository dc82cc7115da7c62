import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { go } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { chooseTheme } from '../app/theme.js';
import { client } from '../data/client.js';
import { useChannels, useSessions } from '../data/queries.js';
import { whenOf } from '../feed/days.js';
import { useShortcuts } from '../keys/registry.js';
import { textOf } from '../message/text-of.js';
import { MESSAGE_KEYS } from '../message/use-message-keys.js';
import type { Entry } from './entries.js';

/** Every place one can go to, and everything that a key does at the moment. */
export function usePlaces(): readonly Entry[] {
  const { data: channels } = useChannels();
  const { data: sessions } = useSessions();
  const shortcuts = useShortcuts();
  return useMemo(
    () => [
      ...(channels ?? []).map(({ channelId, title, purpose }) => ({
        key: channelId,
        section: 'Channels',
        title,
        hint: purpose,
        run: () => go(pathTo.channel(channelId)),
      })),
      ...(sessions ?? []).map(({ sessionId, title, agentName, status }) => ({
        key: sessionId,
        section: 'Sessions',
        title: title ?? agentName,
        hint: title === undefined ? status : `${agentName}, ${status}`,
        run: () => go(pathTo.session(sessionId)),
      })),
      ...shortcuts
        .filter(({ group, keys }) => group !== MESSAGE_KEYS && keys !== 'Mod+K')
        .map(({ keys, does, run }) => ({
          key: `key ${keys}`,
          section: 'Do',
          title: does,
          hint: keys,
          run: () => run(new KeyboardEvent('keydown')),
        })),
      ...(['system', 'light', 'dark'] as const).map((theme) => ({
        key: `theme ${theme}`,
        section: 'Do',
        title: theme === 'system' ? 'Colours as the system' : `${THEMES[theme]} colours`,
        run: () => chooseTheme(theme),
      })),
    ],
    [channels, sessions, shortcuts],
  );
}

const THEMES = { light: 'Light', dark: 'Dark' };

interface Said {
  readonly entries: readonly Entry[];
  readonly isSearching: boolean;
  readonly problem: string | undefined;
}

/** What was said with these words, newest first. */
export function useSaid(query: string): Said {
  const { data: channels } = useChannels();
  const isAsked = query.length > 1;
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', query],
    queryFn: ({ signal }) => client.search(query.slice(0, 200), { limit: 20 }, { signal }),
    enabled: isAsked,
    staleTime: 0,
  });
  const entries = (isAsked ? (data ?? []) : []).map(({ channelId, messageId, message }) => {
    const channel = channels?.find((each) => each.channelId === channelId)?.title ?? channelId;
    return {
      key: messageId,
      section: 'Messages',
      title: textOf(message).replaceAll(/\s+/g, ' ').slice(0, 200),
      hint: `${message.author.displayName} in ${channel}, ${whenOf(message.createdAt)}`,
      run: () => go(pathTo.message(channelId, messageId)),
    };
  });
  return { entries, isSearching: isFetching, problem: error?.message };
}
