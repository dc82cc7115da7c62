import { onlineManager } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { askWhileThere } from './asking.js';
import { client } from './client.js';
import { type Connection, LiveHub, type LiveSignal } from './live-hub.js';

export const live = new LiveHub(client);
askWhileThere(onlineManager, live);

export function useConnection(): Connection {
  return useSyncExternalStore(live.watchConnection, () => live.connection);
}

const POLL_MS = 5_000;

/** Runs when the connection opens and periodically while it is open: calls may fail although it is open. */
export function useWhileLive(run: () => void): void {
  const connection = useConnection();
  const latest = useEffectEvent(run);
  useEffect(() => {
    if (connection !== 'live') return undefined;
    latest();
    const timer = setInterval(() => latest(), POLL_MS);
    return () => clearInterval(timer);
  }, [connection]);
}

/** Receives all signals of a topic while the component is mounted; `undefined` is no topic. */
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

/** The same for many topics, such as those of all channels: one more or less is nothing to the others. */
export function useTopics(
  topics: readonly string[],
  onSignal: (signal: LiveSignal, topic: string) => void,
): void {
  const tell = useEffectEvent(onSignal);
  const followed = useRef(new Map<string, () => void>());
  const names = [...new Set(topics)].sort().join(' ');
  useEffect(() => {
    const ends = followed.current;
    const wanted = new Set(names === '' ? [] : names.split(' '));
    for (const [topic, end] of ends) {
      if (wanted.has(topic)) continue;
      ends.delete(topic);
      end();
    }
    for (const topic of wanted) {
      if (ends.has(topic)) continue;
      ends.set(
        topic,
        live.listen(topic, (signal) => tell(signal, topic)),
      );
    }
  }, [names]);
  useEffect(() => {
    const ends = followed.current;
    return () => {
      for (const end of ends.values()) end();
      ends.clear();
    };
  }, []);
}
