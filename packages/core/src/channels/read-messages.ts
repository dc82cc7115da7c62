import { LIMITS, type Message, type MessagePage, type Principal, StoaError } from '@stoa/protocol';
import {
  FEED_PAGES,
  type FullMessageRow,
  findChannelOfMessage,
  findMessage,
  listReactions,
  MESSAGE_PAGES,
  THREAD_PAGES,
  type Tx,
} from '@stoa/store';
import { countWithin } from '../kernel/page-bytes.js';
import { channelToRead } from './channel-gate.js';
import type { ChannelContext } from './context.js';
import { placeBefore } from './place-in-time.js';
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

/** The message, wherever it is. */
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

/** Pages are cut by sequence and weight and come in log order; without a position the newest page. */
export function listMessages(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  query: MessageQuery,
): Promise<MessagePage> {
  const { before, postedSince } = query;
  if ([before, query.after, postedSince].filter((place) => place !== undefined).length > 1) {
    throw new StoaError('invalid_request', 'Give before, after or postedSince, not two of them');
  }
  return context.store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    if (query.threadRootMessageId !== undefined)
      yield* existing(topicId, query.threadRootMessageId);
    const after =
      postedSince === undefined ? query.after : yield* placeBefore(topicId, postedSince);
    const { rows, hasMore } = yield* page(topicId, { ...query, after });
    if (after === undefined) rows.reverse();
    const messages: Message[] = [];
    for (const row of rows) messages.push(yield* completeMessage(channelId, row));
    return { messages, hasMore };
  });
}

interface Cut {
  readonly rows: FullMessageRow[];
  readonly hasMore: boolean;
}

function* page(topicId: number, query: MessageQuery): Tx<Cut> {
  const { threadRootMessageId: rootMessageId, scope, limit } = query;
  const direction = query.after === undefined ? 'before' : 'after';
  const seq = query.after ?? query.before ?? Number.MAX_SAFE_INTEGER;
  if (rootMessageId !== undefined) {
    const { sizes, rows } = THREAD_PAGES[direction];
    const cut = (count: number) => ({ topicId, seq, rootMessageId, limit: count });
    return yield* weighed(
      limit,
      (count) => sizes.all(cut(count)),
      (count) => rows.all(cut(count)),
    );
  }
  const { sizes, rows } = (scope === 'feed' ? FEED_PAGES : MESSAGE_PAGES)[direction];
  return yield* weighed(
    limit,
    (count) => sizes.all({ topicId, seq, limit: count }),
    (count) => rows.all({ topicId, seq, limit: count }),
  );
}

/** Weighs one more than is asked for, to know whether there is more. */
function* weighed(
  wanted: number,
  readSizes: (count: number) => Tx<{ bytes: number }[]>,
  readRows: (count: number) => Tx<FullMessageRow[]>,
): Tx<Cut> {
  const sizes = yield* readSizes(wanted + 1);
  const limit = countWithin(sizes.slice(0, wanted), LIMITS.pageBytes);
  const rows = limit === 0 ? [] : yield* readRows(limit);
  return { rows, hasMore: sizes.length > limit };
}

export function* completeMessage(channelId: string, row: FullMessageRow): Tx<Message> {
  const reactions = yield* listReactions.all({ topicId: row.topicId, messageId: row.messageId });
  return messageRecord(channelId, row, reactionRecords(reactions));
}
