import type { Message, PostMessage } from '@stoa/protocol';

/*
 * A message of the reader's own on its way; `Outbox` leads it there:
 *
 *   sending ──answered──▶ gone (the message itself stands in the list)
 *   sending ──no answer──▶ waiting ──connected again──▶ sending   (same key: it is posted once)
 *   sending ──refused──▶ failed ──retry──▶ sending, or discard──▶ gone
 */
export interface Pending {
  /** The idempotency key under which it is sent, however often. */
  readonly key: string;
  readonly channelId: string;
  readonly post: PostMessage;
  readonly at: number;
  readonly state: 'sending' | 'waiting' | 'failed';
  /** Why it failed, in words. */
  readonly reason?: string;
}

/** The name of a place one writes in: a channel, or one of its threads. */
export function placeName(channelId: string, rootId: string | undefined): string {
  return rootId === undefined ? channelId : `${channelId} ${rootId}`;
}

/**
 * The log may tell of a message before the call that posted it is answered. Then the one on its way is
 * not shown beside it: the first that says the same. Which it really was, the answer tells.
 */
export function heardOf(pending: readonly Pending[], message: Message): Pending | undefined {
  return pending.find(
    ({ post, state }) =>
      state !== 'failed' &&
      post.threadRootMessageId === message.threadRootMessageId &&
      textOf(post.inputItems, post.text) === textOf(message.inputItems, undefined),
  );
}

function textOf(items: PostMessage['inputItems'], text: string | undefined): string {
  return (
    (items ?? []).map((item) => (item.type === 'text' ? item.text : '')).join('') + (text ?? '')
  );
}
