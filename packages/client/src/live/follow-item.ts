import type { Stamped, StreamFrame } from '@stoa/protocol';
import type { CLOSING_REASONS } from '@stoa/protocol/constants';

/**
 * The daemon no longer stores the events after `after` and before `oldest`. The gap has their position in the stream;
 * readers that need them must read the current state instead.
 */
export interface Gap {
  readonly type: 'gap';
  readonly topic: string;
  readonly after: number;
  readonly oldest: number;
}

/**
 * Text that a run is writing, before its `model_message`. It has no sequence and is not stored: a chunk at offset 0
 * replaces the text shown for its run and step.
 */
export type TextChunk = Extract<StreamFrame, { type: 'text_chunk' }>;

/**
 * The message that an agent with the turn in a channel is writing, so far; see `LiveDrafts`. Every draft is followed
 * by a `draft_ended`, also if the connection was lost: then it is sent again, if it is still being written.
 */
export type Draft = Extract<StreamFrame, { type: 'draft' }>;
export type DraftEnded = Extract<StreamFrame, { type: 'draft_ended' }>;

export type FollowItem = Stamped | Gap | TextChunk | Draft | DraftEnded;

/** Only sessions write text: other topics have no chunks. Drafts must be requested. */
export type FollowItemOf<T extends string, Drafts extends boolean = false> = Exclude<
  FollowItem,
  | (T extends `channel:${string}` | `human:${string}` | `project:${string}` ? TextChunk : never)
  | (Drafts extends true ? never : Draft | DraftEnded)
>;

/** The items of a followed session. */
export type SessionItem = FollowItemOf<`session:${string}`>;

/** Why a lost connection is opened again: the reason that the daemon gave, if any. */
export type ReconnectReason =
  | 'connection_lost'
  | Exclude<(typeof CLOSING_REASONS)[number], 'revoked'>;

/** Changes of the connection of a followed topic; no event is lost by any of them. */
export type FollowNotice =
  | { readonly type: 'following'; readonly after: number; readonly head: number }
  | {
      readonly type: 'reconnecting';
      readonly reason: ReconnectReason;
      readonly inMs: number;
    };
