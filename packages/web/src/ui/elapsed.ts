import { useSyncExternalStore } from 'react';

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** The two largest parts of a duration: `3s`, `4m 10s`, `2d 3h`. */
export function elapsedText(ms: number): string {
  let left = Math.floor(Math.max(0, ms) / 1_000);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count}${unit}`);
  }
  const shown = parts.slice(0, 2).filter((part) => !part.startsWith('0'));
  return shown.length === 0 ? '0s' : shown.join(' ');
}

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** The time, updated every second by one shared clock. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The day, updated at midnight: a page may stay open for longer. */
export function useToday(): string {
  return useSyncExternalStore(subscribe, () => new Date(now).toDateString());
}

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of watchers) each();
    }, 1_000);
  }
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
