import { StoaError } from '@stoa/protocol';
import { findMessageRow, type MessageRow, type Tx } from '@stoa/store';

interface ThreadPosition {
  readonly threadRootMessageId?: string;
  readonly replyToMessageId?: string;
}

/**
 * Determines the thread of a message. A reply names the message it answers, the root of a thread, or both; they must
 * belong to the same thread.
 */
export function* resolveThread(
  topicId: number,
  request: { threadRootMessageId?: string | undefined; replyToMessageId?: string | undefined },
): Tx<ThreadPosition> {
  const { threadRootMessageId, replyToMessageId } = request;
  if (replyToMessageId === undefined) {
    if (threadRootMessageId === undefined) return {};
    const root = yield* existingMessage(topicId, threadRootMessageId);
    if (root.rootMessageId !== null) {
      throw new StoaError(
        'thread_mismatch',
        `${threadRootMessageId} is a reply, not the root of a thread`,
      );
    }
    return { threadRootMessageId };
  }
  const answered = yield* existingMessage(topicId, replyToMessageId);
  const root = answered.rootMessageId ?? answered.messageId;
  if (threadRootMessageId !== undefined && threadRootMessageId !== root) {
    throw new StoaError(
      'thread_mismatch',
      `${replyToMessageId} is in the thread of ${root}, not of ${threadRootMessageId}`,
    );
  }
  return { threadRootMessageId: root, replyToMessageId };
}

export function* existingMessage(topicId: number, messageId: string): Tx<MessageRow> {
  const row = yield* findMessageRow.first({ topicId, messageId });
  if (row) return row;
  throw new StoaError('message_not_found', `There is no message ${messageId} in this channel`);
}
