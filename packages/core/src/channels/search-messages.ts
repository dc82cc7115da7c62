import { LIMITS, type Principal, type SearchHit } from '@stoa/protocol';
import { findMessageAt, type SearchMatch, type Tx } from '@stoa/store';
import { channelToRead } from './channel-gate.js';
import type { ChannelContext } from './context.js';
import { completeMessage } from './read-messages.js';

export interface SearchRequest {
  readonly query: string;
  readonly channelId?: string | undefined;
  readonly limit: number;
}

export async function searchMessages(
  context: ChannelContext,
  principal: Principal,
  { query, channelId, limit }: SearchRequest,
): Promise<SearchHit[]> {
  const topicId =
    channelId === undefined
      ? undefined
      : (await context.store.read(() => channelToRead(principal, channelId))).topicId;
  const matches = await context.search.search({
    text: query,
    limit,
    ...(topicId === undefined ? {} : { topicId }),
  });
  return context.store.read(() => toHits(matches));
}

/** Leaves out messages that were deleted since they were indexed, and matches beyond the size of a page. */
function* toHits(matches: readonly SearchMatch[]): Tx<SearchHit[]> {
  const hits: SearchHit[] = [];
  let weight = 0;
  for (const match of matches) {
    const row = yield* findMessageAt.first({ topicId: match.topicId, seq: match.seq });
    if (!row || row.deletedAt !== null) continue;
    weight += row.posted.length + (row.edited?.length ?? 0);
    if (weight > LIMITS.pageBytes && hits.length > 0) break;
    const message = yield* completeMessage(row.channelId, row);
    hits.push({
      channelId: row.channelId,
      messageId: row.messageId,
      seq: row.seq,
      threadRootMessageId: row.rootMessageId ?? row.messageId,
      message,
    });
  }
  return hits;
}
