import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { live } from '../data/live.js';

const parts: (() => Promise<unknown>)[] = [];

/**
 * A part of the page that is not there at first. It is loaded when it is gone to, or before that when nothing else
 * is to be done: then it can be gone to while the daemon is away, and after it was updated.
 */
export function late<P>(
  load: () => Promise<ComponentType<P>>,
): LazyExoticComponent<ComponentType<P>> {
  parts.push(load);
  return lazy(async () => ({ default: await patiently(load) }));
}

/** Those that the page has: to load one again asks nobody. */
const loaded = new Set<() => Promise<unknown>>();

/**
 * What cannot be loaded because the daemon is away is loaded when it is back, and not before: who answers meanwhile
 * may be another program, and a part is a program too.
 */
async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    if (!loaded.has(load) && live.connection === 'reconnecting') await live.untilLive();
    try {
      const part = await load();
      loaded.add(load);
      return part;
    } catch (error) {
      if (live.connection === 'live') throw error;
      await live.untilLive();
    }
  }
}

/** One after the other. What cannot be loaded now is tried again by who goes there. */
export async function loadTheRest(): Promise<void> {
  for (const load of parts) {
    if (live.connection === 'reconnecting') return;
    await load().then(
      () => loaded.add(load),
      () => undefined,
    );
  }
}
