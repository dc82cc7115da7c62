import type { Stamped, StreamFrame } from '@stoa/protocol';
import type { CLOSING_REASONS } from '@stoa/protocol/constants';

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

/**
 * What an agent who has the turn in a channel is about to say there, so far as it is written; see
 * `LiveDrafts`. Every draft is followed by a `draft_ended`, also when the connection was lost: then it is
 * shown anew, if it is still being written.
 */
export type Draft = Extract<StreamFrame, { type: 'draft' }>;
export type DraftEnded = Extract<StreamFrame, { type: 'draft_ended' }>;

export type FollowItem = Stamped | Gap | TextChunk | Draft | DraftEnded;

/** Only sessions write text: on other topics there are no chunks. Drafts come to who asks for them. */
export type FollowItemOf<T extends string, Drafts extends boolean = false> = Exclude<
  FollowItem,
  | (T extends `channel:${string}` | `human:${string}` | `project:${string}` ? TextChunk : never)
  | (Drafts extends true ? never : Draft | DraftEnded)
>;

/** What comes of following a session. */
export type SessionItem = FollowItemOf<`session:${string}`>;

/** Why a lost connection is opened again: what the daemon said as it closed it, if anything. */
export type ReconnectReason =
  | 'connection_lost'
  | Exclude<(typeof CLOSING_REASONS)[number], 'revoked'>;

/** What happens to the connection under a followed topic; nothing is lost by any of it. */
export type FollowNotice =
  | { readonly type: 'following'; readonly after: number; readonly head: number }
  | {
      readonly type: 'reconnecting';
      readonly reason: ReconnectReason;
      readonly inMs: number;
    };
