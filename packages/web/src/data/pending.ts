import type { Message, PostMessage } from '@stoa/protocol';
import { textOf } from '@stoa/protocol/constants';

/*
 * A message of the reader that is not confirmed yet; `SendQueue` sends it:
 *
 *   sending ──answered──▶ gone (the list contains the message)
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

/** The key of a conversation: a channel, or one of its threads. */
export function conversationKey(channelId: string, rootId: string | undefined): string {
  return rootId === undefined ? channelId : `${channelId} ${rootId}`;
}

/**
 * The event of a message may arrive before the call that posted it is answered. Then the first pending message with
 * the same text is hidden. The answer shows which one it really was.
 */
export function confirmedBy(pending: readonly Pending[], message: Message): Pending | undefined {
  return pending.find(
    ({ post, state }) =>
      state !== 'failed' &&
      post.threadRootMessageId === message.threadRootMessageId &&
      postedText(post) === postedText(message),
  );
}

const postedText = ({ inputItems = [], text = '' }: Pick<PostMessage, 'inputItems' | 'text'>) =>
  textOf(inputItems, '') + text;
