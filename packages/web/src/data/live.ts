import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { client } from './client.js';
import { type Connection, LiveHub, type LiveSignal } from './live-hub.js';

export const live = new LiveHub(client);

export function useConnection(): Connection {
  return useSyncExternalStore(live.watchConnection, () => live.connection);
}

/** Hears all that happens on a topic while the component is shown; `undefined` is no topic. */
export function useTopic(
  topic: string | undefined,
  onSignal: (signal: LiveSignal, topic: string) => void,
): void {
  const tell = useEffectEvent(onSignal);
  useEffect(() => {
    if (topic === undefined) return undefined;
    return live.listen(topic, (signal) => tell(signal, topic));
  }, [topic]);
}

/** The same for many topics, such as those of all channels. */
export function useTopics(
  topics: readonly string[],
  onSignal: (signal: LiveSignal, topic: string) => void,
): void {
  const tell = useEffectEvent(onSignal);
  const names = topics.join(' ');
  useEffect(() => {
    const ends = (names === '' ? [] : names.split(' ')).map((topic) =>
      live.listen(topic, (signal) => tell(signal, topic)),
    );
    return () => {
      for (const end of ends) end();
    };
  }, [names]);
}
