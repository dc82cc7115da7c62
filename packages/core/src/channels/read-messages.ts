import { type Message, type MessagePage, type Principal, StoaError } from '@stoa/protocol';
import {
  type FullMessageRow,
  findMessage,
  listFeedAfter,
  listFeedBefore,
  listMessagesAfter,
  listMessagesBefore,
  listReactions,
  listThreadAfter,
  listThreadBefore,
  type Tx,
} from '@stoa/store';
import { channelToRead } from '../access/gate.js';
import type { ChannelContext } from './context.js';
import { messageRecord, reactionRecords } from './records.js';
import { existing } from './thread.js';

export function getMessage(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  messageId: string,
): Promise<Message> {
  return context.store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    const row = yield* findMessage.first({ topicId, messageId });
    if (!row)
      throw new StoaError('message_not_found', `There is no message ${messageId} in this channel`);
    return yield* completeMessage(channelId, row);
  });
}

export interface MessageQuery {
  readonly threadRootMessageId?: string | undefined;
  readonly scope: 'all' | 'feed';
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** Pages are cut by sequence and come in log order; without a position the newest page. */
export function listMessages(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  query: MessageQuery,
): Promise<MessagePage> {
  if (query.before !== undefined && query.after !== undefined) {
    throw new StoaError('invalid_request', 'Give before or after, not both');
  }
  return context.store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    if (query.threadRootMessageId !== undefined)
      yield* existing(topicId, query.threadRootMessageId);
    const rows = yield* page(topicId, query);
    const hasMore = rows.length > query.limit;
    const kept = rows.slice(0, query.limit);
    if (query.after === undefined) kept.reverse();
    const messages: Message[] = [];
    for (const row of kept) messages.push(yield* completeMessage(channelId, row));
    return { messages, hasMore };
  });
}

/** One more than asked for, to know whether there is more. */
function* page(topicId: number, query: MessageQuery): Tx<FullMessageRow[]> {
  const forward = query.after !== undefined;
  const seq = query.after ?? query.before ?? Number.MAX_SAFE_INTEGER;
  const cut = { topicId, seq, limit: query.limit + 1 };
  if (query.threadRootMessageId !== undefined) {
    const inThread = { ...cut, rootMessageId: query.threadRootMessageId };
    return yield* (forward ? listThreadAfter : listThreadBefore).all(inThread);
  }
  if (query.scope === 'feed') return yield* (forward ? listFeedAfter : listFeedBefore).all(cut);
  return yield* (forward ? listMessagesAfter : listMessagesBefore).all(cut);
}

export function* completeMessage(channelId: string, row: FullMessageRow): Tx<Message> {
  const reactions = yield* listReactions.all({ topicId: row.topicId, messageId: row.messageId });
  return messageRecord(channelId, row, reactionRecords(reactions));
}
