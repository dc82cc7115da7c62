import { LIMITS } from '@stoa/protocol/constants';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { logOut } from '../app/log-out.js';
import { go, usePage } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { chooseTheme } from '../app/theme.js';
import { client } from '../data/client.js';
import { useChannels, useMe, useSessions } from '../data/queries.js';
import { whenOf } from '../feed/days.js';
import { useShortcuts } from '../keys/registry.js';
import { markdownOf } from '../message/markdown-of.js';
import { plainText } from '../message/plain-text.js';
import { MESSAGE_KEYS } from '../message/use-message-keys.js';
import { SECTIONS } from '../settings/sections.js';
import { toast } from '../ui/toast.js';
import { askedDialog } from './asked-dialog.js';
import { type Entry, entryOfSession } from './entries.js';
import { snippetOf } from './snippet.js';

/** All destinations, and all actions that are available at the moment. */
export function useDestinations(): readonly Entry[] {
  const { data: channels } = useChannels();
  const { data: sessions } = useSessions();
  const { data: me } = useMe();
  const shortcuts = useShortcuts();
  const current = usePage();
  const here = current && 'channelId' in current ? current.channelId : undefined;
  const isOwner = me?.role === 'owner';
  return useMemo(
    () => [
      ...(channels ?? []).map(({ channelId, title, purpose }) => ({
        key: channelId,
        section: 'Channels',
        title,
        hint: purpose,
        run: () => go(pathTo.channelPage(channelId)),
      })),
      ...(sessions ?? []).map((session) =>
        entryOfSession(session, () => go(pathTo.sessionPage(session.sessionId))),
      ),
      ...pagesOf(channels?.find(({ channelId }) => channelId === here)),
      toDo('New channel', () => askedDialog.open('new-channel')),
      ...(isOwner ? [toDo('New agent', () => askedDialog.open('new-agent'))] : []),
      ...shortcuts
        .filter(({ group, keys }) => group !== MESSAGE_KEYS && keys !== 'Mod+K')
        .map(({ keys, does, run }) => ({
          ...toDo(does, () => run(new KeyboardEvent('keydown'))),
          key: `key ${keys}`,
          hint: keys,
        })),
      ...(['system', 'light', 'dark'] as const).map((theme) =>
        toDo(theme === 'system' ? 'System colours' : `${THEMES[theme]} colours`, () =>
          chooseTheme(theme),
        ),
      ),
      toDo('Log out', () => void logOut().catch(toast.problem)),
    ],
    [channels, sessions, here, isOwner, shortcuts],
  );
}

const THEMES = { light: 'Light', dark: 'Dark' };

function toDo(title: string, run: () => void): Entry {
  return { key: `do ${title}`, section: 'Actions', title, run };
}

/** What is neither a channel nor a session. */
function pagesOf(
  here: { readonly channelId: string; readonly title: string } | undefined,
): readonly Entry[] {
  const page = (title: string, path: string): Entry => ({
    key: path,
    section: 'Pages',
    title,
    run: () => go(path),
  });
  return [
    ...(here
      ? [
          page(`Timeline of ${here.title}`, pathTo.timelinePage(here.channelId)),
          page(`Settings of ${here.title}`, pathTo.channelSettingsPage(here.channelId)),
        ]
      : []),
    page('Usage', pathTo.usagePage()),
    page('Settings', pathTo.settingsPage()),
    ...SECTIONS.map(({ section, label }) =>
      page(`Settings: ${label}`, pathTo.settingsSectionPage(section)),
    ),
  ];
}

interface FoundMessages {
  readonly entries: readonly Entry[];
  readonly isSearching: boolean;
  readonly problem: string | undefined;
}

/** Messages that contain these words, newest first. */
export function useFoundMessages(query: string): FoundMessages {
  const { data: channels } = useChannels();
  const isAsked = query.length > 1;
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', query],
    queryFn: ({ signal }) =>
      client.search({ query: query.slice(0, LIMITS.searchChars), limit: 20 }, { signal }),
    enabled: isAsked,
    staleTime: 0,
  });
  const entries = (isAsked ? (data ?? []) : []).map(({ channelId, messageId, message }) => {
    const channel = channels?.find((each) => each.channelId === channelId)?.title ?? channelId;
    const pieces = snippetOf(plainText(markdownOf(message)), query);
    return {
      key: messageId,
      section: 'Messages',
      title: pieces.map(({ text }) => text).join(''),
      pieces,
      hint: `${message.author.displayName} in ${channel}, ${whenOf(message.createdAt)}`,
      run: () => go(pathTo.messagePage(channelId, messageId)),
    };
  });
  return { entries, isSearching: isFetching, problem: error?.message };
}
