import { type ComponentType, type LazyExoticComponent, Suspense } from 'react';
import { useConnection } from '../data/live.js';
import { ChannelScreen } from '../feed/channel-screen.js';
import { Empty } from '../ui/empty.js';
import { Home } from './home.js';
import { late } from './late.js';
import { Nowhere } from './nowhere.js';
import type { Place } from './routes.js';

type ScreenOf<N extends Place['name']> =
  | ComponentType<{ readonly place: Extract<Place, { name: N }> }>
  | LazyExoticComponent<ComponentType<{ readonly place: Extract<Place, { name: N }> }>>;

/** What is shown at each place. The channel comes with the page; all else comes late. */
const SCREENS: { readonly [N in Place['name']]?: ScreenOf<N> } = {
  home: Home,
  channel: ChannelScreen,
  session: late(async () => (await import('../session/session-screen.js')).SessionScreen),
  'channel-settings': late(
    async () => (await import('../settings/channel-settings-screen.js')).ChannelSettingsScreen,
  ),
  timeline: late(async () => (await import('../timeline/timeline-screen.js')).TimelineScreen),
  settings: late(async () => (await import('../settings/settings-screen.js')).SettingsScreen),
  usage: late(async () => (await import('../usage/usage-screen.js')).UsageScreen),
  nowhere: Nowhere,
};

export function Screen({ place }: { readonly place: Place }) {
  const Shown = (SCREENS[place.name] ?? Nowhere) as ComponentType<{ readonly place: Place }>;
  return (
    <Suspense fallback={<OnItsWay />}>
      <Shown place={place} />
    </Suspense>
  );
}

/** A moment at most while there is a connection; what flashes would look slower. */
function OnItsWay() {
  if (useConnection() !== 'reconnecting') return null;
  return <Empty title="The daemon does not answer">This is shown when it is back.</Empty>;
}
