import { StoaError } from '@stoa/protocol';
import { findMessageRow, type MessageRow, type Tx } from '@stoa/store';

interface Placement {
  readonly threadRootMessageId?: string;
  readonly replyToMessageId?: string;
}

/**
 * Where a message goes. A reply names the message it answers, the root of its thread, or both; both
 * must belong together, and a thread hangs on a root message.
 */
export function* placeInThread(
  topicId: number,
  asked: { threadRootMessageId?: string | undefined; replyToMessageId?: string | undefined },
): Tx<Placement> {
  const { threadRootMessageId, replyToMessageId } = asked;
  if (replyToMessageId === undefined) {
    if (threadRootMessageId === undefined) return {};
    const root = yield* existing(topicId, threadRootMessageId);
    if (root.rootMessageId !== null) {
      throw new StoaError(
        'thread_mismatch',
        `${threadRootMessageId} is a reply, not the root of a thread`,
      );
    }
    return { threadRootMessageId };
  }
  const answered = yield* existing(topicId, replyToMessageId);
  const root = answered.rootMessageId ?? answered.messageId;
  if (threadRootMessageId !== undefined && threadRootMessageId !== root) {
    throw new StoaError(
      'thread_mismatch',
      `${replyToMessageId} is in the thread of ${root}, not of ${threadRootMessageId}`,
    );
  }
  return { threadRootMessageId: root, replyToMessageId };
}

export function* existing(topicId: number, messageId: string): Tx<MessageRow> {
  const row = yield* findMessageRow.first({ topicId, messageId });
  if (!row)
    throw new StoaError('message_not_found', `There is no message ${messageId} in this channel`);
  return row;
}
