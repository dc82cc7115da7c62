import { type Message, type MessagePage, type Principal, StoaError } from '@stoa/protocol';
import {
  FEED_PAGES,
  type FullMessageRow,
  findChannelOfMessage,
  findMessage,
  findMessageAfter,
  findTopicById,
  listReactions,
  MESSAGE_PAGES,
  THREAD_PAGES,
  type Tx,
} from '@stoa/store';
import { type Page, readPage } from '../kernel/paging.js';
import { channelToRead } from './channel-gate.js';
import type { ChannelContext } from './context.js';
import { messageRecord, reactionRecords } from './records.js';
import { existingMessage } from './thread.js';

export function getMessage(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  messageId: string,
): Promise<Message> {
  return context.store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    const row = yield* findMessage.first({ topicId, messageId });
    if (row) return yield* completeMessage(channelId, row);
    throw new StoaError('message_not_found', `There is no message ${messageId} in this channel`);
  });
}

/** Finds a message in any channel. */
export function findMessageAnywhere(
  context: ChannelContext,
  principal: Principal,
  messageId: string,
): Promise<Message> {
  return context.store.read(function* () {
    const found = yield* findChannelOfMessage.first({ messageId });
    if (!found) throw new StoaError('message_not_found', `There is no message ${messageId}`);
    const { topicId } = yield* channelToRead(principal, found.channelId);
    const row = yield* findMessage.first({ topicId, messageId });
    if (!row) throw new StoaError('message_not_found', `There is no message ${messageId}`);
    return yield* completeMessage(found.channelId, row);
  });
}

export interface MessageQuery {
  readonly threadRootMessageId?: string | undefined;
  readonly scope: 'all' | 'feed';
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly postedSince?: number | undefined;
  readonly limit: number;
}

/** A page in log order, limited by count and size; by default the newest page. */
export function listMessages(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  query: MessageQuery,
): Promise<MessagePage> {
  const { before, postedSince } = query;
  if ([before, query.after, postedSince].filter((position) => position !== undefined).length > 1) {
    throw new StoaError('invalid_request', 'Give before, after or postedSince, not two of them');
  }
  return context.store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    if (query.threadRootMessageId !== undefined)
      yield* existingMessage(topicId, query.threadRootMessageId);
    const after =
      postedSince === undefined ? query.after : yield* lastSeqBefore(topicId, postedSince);
    const { rows, resumeAfter } = yield* page(topicId, { ...query, after });
    if (after === undefined) rows.reverse();
    const messages: Message[] = [];
    for (const row of rows) messages.push(yield* completeMessage(channelId, row));
    return { messages, hasMore: resumeAfter !== undefined };
  });
}

/**
 * The last sequence before all messages that were posted at a time or later. A binary search of the log needs no index
 * and is fast in long channels too. If the clock was set back, it finds one of several possible answers.
 */
function* lastSeqBefore(topicId: number, time: number): Tx<number> {
  let before = 0;
  let upTo = (yield* findTopicById.first({ id: topicId }))?.head ?? 0;
  while (before < upTo) {
    const middle = Math.floor((before + upTo) / 2);
    const next = yield* findMessageAfter.first({ topicId, seq: middle });
    if (next && next.createdAt < time) before = next.seq;
    else upTo = middle;
  }
  return before;
}

function* page(topicId: number, query: MessageQuery): Tx<Page<FullMessageRow>> {
  const { threadRootMessageId: rootMessageId, scope, limit } = query;
  const direction = query.after === undefined ? 'before' : 'after';
  const seq = query.after ?? query.before ?? Number.MAX_SAFE_INTEGER;
  if (rootMessageId !== undefined) {
    const { sizes, rows } = THREAD_PAGES[direction];
    const filter = { topicId, seq, rootMessageId };
    return yield* readPage(limit, (count) => rows.all({ ...filter, limit: count }), {
      sizes: (count) => sizes.all({ ...filter, limit: count }),
    });
  }
  const { sizes, rows } = (scope === 'feed' ? FEED_PAGES : MESSAGE_PAGES)[direction];
  return yield* readPage(limit, (count) => rows.all({ topicId, seq, limit: count }), {
    sizes: (count) => sizes.all({ topicId, seq, limit: count }),
  });
}

export function* completeMessage(channelId: string, row: FullMessageRow): Tx<Message> {
  const reactions = yield* listReactions.all({ topicId: row.topicId, messageId: row.messageId });
  return messageRecord(channelId, row, reactionRecords(reactions));
}
