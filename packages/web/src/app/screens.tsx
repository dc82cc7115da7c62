import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from 'react';
import { ChannelScreen } from '../feed/channel-screen.js';
import { Home } from './home.js';
import { Nowhere } from './nowhere.js';
import type { Place } from './routes.js';

type ScreenOf<N extends Place['name']> =
  | ComponentType<{ readonly place: Extract<Place, { name: N }> }>
  | LazyExoticComponent<ComponentType<{ readonly place: Extract<Place, { name: N }> }>>;

/** What is shown at each place. The channel comes with the page; all else is `lazy`, loaded when it is gone to. */
const SCREENS: { readonly [N in Place['name']]?: ScreenOf<N> } = {
  home: Home,
  channel: ChannelScreen,
  session: lazy(async () => ({
    default: (await import('../session/session-screen.js')).SessionScreen,
  })),
  'channel-settings': lazy(async () => ({
    default: (await import('../settings/channel-settings-screen.js')).ChannelSettingsScreen,
  })),
  timeline: lazy(async () => ({
    default: (await import('../timeline/timeline-screen.js')).TimelineScreen,
  })),
  settings: lazy(async () => ({
    default: (await import('../settings/settings-screen.js')).SettingsScreen,
  })),
  usage: lazy(async () => ({ default: (await import('../usage/usage-screen.js')).UsageScreen })),
  nowhere: Nowhere,
};

export function Screen({ place }: { readonly place: Place }) {
  const Shown = (SCREENS[place.name] ?? Nowhere) as ComponentType<{ readonly place: Place }>;
  return (
    <Suspense>
      <Shown place={place} />
    </Suspense>
  );
}
