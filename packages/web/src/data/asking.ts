import { StoaProblem } from '@stoa/client';
import type { OnlineManager, QueryObserverOptions } from '@tanstack/react-query';
import type { LiveHub } from './live-hub.js';

const NOT_THERE: ReadonlySet<string> = new Set(['daemon_unreachable', 'daemon_not_proven']);

/** How the daemon is asked for what is shown, unless a query says otherwise. */
export const ASKED: Pick<QueryObserverOptions, 'retry' | 'retryDelay' | 'refetchOnReconnect'> = {
  // The client repeats what is worth repeating; what was refused will be refused again.
  retry: (count, error) => error instanceof StoaProblem && NOT_THERE.has(error.code) && count < 20,
  retryDelay: (count) => Math.min(250 * 2 ** count, 5_000),
  // What failed meanwhile, and what has no topic of its own, is not known to be so any more.
  refetchOnReconnect: 'always',
};

/**
 * While the live connection is away nothing is asked by itself: what is due waits, and all that is shown is asked for
 * once when it is back. Whether this machine has a network says nothing about a daemon on it.
 */
export function askWhileThere(
  online: Pick<OnlineManager, 'setEventListener'>,
  live: Pick<LiveHub, 'connection' | 'watchConnection'>,
): void {
  online.setEventListener((setOnline) => {
    const tell = (): void => setOnline(live.connection !== 'reconnecting');
    tell();
    return live.watchConnection(tell);
  });
}
