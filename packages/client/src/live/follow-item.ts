import type { Stamped, StreamFrame } from '@stoa/protocol';

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

/**
 * What a run is writing, before it stands in a `model_message`. It has no sequence and is not kept:
 * one that starts at offset 0 replaces what was shown for its run and step.
 */
export type TextChunk = Extract<StreamFrame, { type: 'text_chunk' }>;

export type FollowItem = Stamped | Gap | TextChunk;

/** Only sessions write text: on other topics there are no chunks. */
export type FollowItemOf<T extends string> = T extends
  | `channel:${string}`
  | `human:${string}`
  | `project:${string}`
  ? Exclude<FollowItem, TextChunk>
  : FollowItem;

/** What happens to the connection under a followed topic; nothing is lost by any of it. */
export type FollowNotice =
  | { readonly type: 'following'; readonly after: number; readonly head: number }
  | {
      readonly type: 'reconnecting';
      readonly reason: 'connection_lost' | 'shutdown' | 'slow_reader' | 'unavailable';
      readonly inMs: number;
    };
