import { onlineManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ASKED, askWhileThere } from './asking.js';
import type { Connection } from './live-hub.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('while the daemon is away', () => {
  it('nothing is asked again by itself, and when it is back all that is shown is, once', async () => {
    let connection: Connection = 'live';
    let tell = (): void => undefined;
    askWhileThere(onlineManager, {
      get connection() {
        return connection;
      },
      watchConnection: (watcher) => {
        tell = watcher;
        return () => undefined;
      },
    });
    const become = (next: Connection): void => {
      connection = next;
      tell();
    };
    const queries = new QueryClient({ defaultOptions: { queries: ASKED } });
    queries.mount();
    let asked = 0;
    const shown = new QueryObserver(queries, {
      queryKey: ['shown'],
      queryFn: () => Promise.resolve((asked += 1)),
      staleTime: Infinity,
    });
    const leave = shown.subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toBe(1);
    become('reconnecting');
    for (let i = 0; i < 5; i += 1) {
      void queries.invalidateQueries();
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(asked).toBe(1);
    become('live');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toBe(2);
    // Also where nothing was due.
    become('reconnecting');
    become('live');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toBe(3);
    leave();
    queries.unmount();
  });
});
