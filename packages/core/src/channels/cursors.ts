import { actorIdOf, humanTopic, LIMITS, type Principal, type ReadCursor } from '@stoa/protocol';
import {
  countUnread,
  findCursor,
  findTopicById,
  listCursors,
  moveCursor as moveRow,
  type Tx,
} from '@stoa/store';
import { humanIdOf } from '../access/rules.js';
import type { Decision } from '../kernel/log.js';
import { channelToRead, type OpenChannel } from './channel-gate.js';
import type { ChannelContext } from './context.js';

export function getCursor(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
): Promise<ReadCursor> {
  const humanId = humanIdOf(principal);
  return context.store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    const readSeq = (yield* findCursor.first({ humanId, topicId }))?.readSeq ?? 0;
    return yield* withUnread(principal, channelId, topicId, readSeq);
  });
}

/** Moves forward only, and not past the end of the channel. The event informs other devices of the person. */
export async function moveCursor(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  readSeq: number,
): Promise<ReadCursor> {
  const humanId = humanIdOf(principal);
  const topic = humanTopic(humanId);
  await context.log.write({
    actor: actorIdOf(principal),
    lane: topic,
    open: () => channelToRead(principal, channelId),
    *decide({ topicId }: OpenChannel): Tx<Decision<void>> {
      const channel = yield* findTopicById.first({ id: topicId });
      const target = Math.min(readSeq, channel?.head ?? 0);
      const moved = yield* moveRow.changes({ humanId, topicId, readSeq: target });
      const event = { type: 'read_cursor_moved' as const, data: { channelId, readSeq: target } };
      return { events: moved > 0 ? [{ topic, event }] : [], answer: () => undefined };
    },
  });
  return getCursor(context, principal, channelId);
}

export function listUnread(context: ChannelContext, principal: Principal): Promise<ReadCursor[]> {
  const humanId = humanIdOf(principal);
  return context.store.read(function* () {
    const cursors: ReadCursor[] = [];
    for (const row of yield* listCursors.all({ humanId, actorId: actorIdOf(principal) })) {
      cursors.push(yield* withUnread(principal, row.channelId, row.topicId, row.readSeq));
    }
    return cursors;
  });
}

function* withUnread(
  principal: Principal,
  channelId: string,
  topicId: number,
  readSeq: number,
): Tx<ReadCursor> {
  const actorId = actorIdOf(principal);
  const limit = LIMITS.unreadCount;
  const counted = yield* countUnread.first({ topicId, seq: readSeq, actorId, limit });
  return { channelId, readSeq, unreadCount: counted?.count ?? 0 };
}
