import type { Stamped } from '@stoa/protocol';

/**
 * Events after `after` and before `oldest` are no longer kept by the daemon. It stands in the stream
 * where they would have stood; whoever needs them must read the present state instead.
 */
export interface Gap {
  readonly type: 'gap';
  readonly topic: string;
  readonly after: number;
  readonly oldest: number;
}

export type FollowItem = Stamped | Gap;

/** What happens to the connection under a followed topic; nothing is lost by any of it. */
export type FollowNotice =
  | { readonly type: 'following'; readonly after: number; readonly head: number }
  | {
      readonly type: 'reconnecting';
      readonly reason: 'connection_lost' | 'shutdown' | 'slow_reader' | 'unavailable';
      readonly inMs: number;
    };
