import type { PageId } from '@stoa/protocol/constants';
import { type ComponentType, Suspense } from 'react';
import { useConnection } from '../data/live.js';
import { ChannelScreen } from '../feed/channel-screen.js';
import { Empty } from '../ui/empty.js';
import { Home } from './home.js';
import { late } from './late.js';
import { Link } from './router.js';
import type { AddressOf, PageAddress } from './routes.js';

interface PageView<A> {
  readonly Screen: ComponentType<{ readonly page: A }>;
  /** The name of the page in the title of the window. */
  readonly title?: (page: A, names: Names) => string;
}

/** What channels and sessions are called, by their ids. */
export interface Names {
  readonly channel: (channelId: string) => string;
  readonly session: (sessionId: string) => string;
}

const channel = {
  Screen: ChannelScreen,
  title: ({ channelId }: { readonly channelId: string }, names: Names) => names.channel(channelId),
};
const settings = {
  Screen: late(async () => (await import('../settings/settings-screen.js')).SettingsScreen),
  title: () => 'Settings',
};

/** What each page of the route table shows. The channel is part of the first load, the others are loaded later. */
const PAGES: { readonly [P in PageId]: PageView<AddressOf<P>> } = {
  home: { Screen: Home },
  channelPage: channel,
  messagePage: channel,
  channelSettingsPage: {
    Screen: late(
      async () => (await import('../settings/channel-settings-screen.js')).ChannelSettingsScreen,
    ),
    title: ({ channelId }, names) => `${names.channel(channelId)}: settings`,
  },
  timelinePage: {
    Screen: late(async () => (await import('../timeline/timeline-screen.js')).TimelineScreen),
    title: ({ channelId }, names) => `${names.channel(channelId)}: timeline`,
  },
  sessionPage: {
    Screen: late(async () => (await import('../session/session-screen.js')).SessionScreen),
    title: ({ sessionId }, names) => names.session(sessionId),
  },
  settingsPage: settings,
  settingsSectionPage: settings,
  usagePage: {
    Screen: late(async () => (await import('../usage/usage-screen.js')).UsageScreen),
    title: () => 'Usage',
  },
};

/** The table pairs each page with its own view: an address fits the view of its page. */
const viewOf = ({ page }: PageAddress) => PAGES[page] as PageView<PageAddress>;

export function titleOf(page: PageAddress, names: Names): string | undefined {
  return viewOf(page).title?.(page, names);
}

export function Screen({ page }: { readonly page: PageAddress | undefined }) {
  if (!page) return <Nowhere />;
  const view = viewOf(page);
  return (
    <Suspense fallback={<OnItsWay />}>
      <view.Screen page={page} />
    </Suspense>
  );
}

/** A moment at most while there is a connection; what flashes would look slower. */
function OnItsWay() {
  if (useConnection() !== 'reconnecting') return null;
  return <Empty title="The daemon does not answer">This page loads when it is back.</Empty>;
}

function Nowhere() {
  return (
    <Empty title="Page not found">
      There is no page at this address.{' '}
      <Link to="/" className="text-accent underline">
        Back to the channels
      </Link>
    </Empty>
  );
}
