import type { ChannelEvent } from '@stoa/protocol';
import { keyName, type ModelEvent, type ModelState } from './state.js';
import { type Asked, actorOf, refused, type Verdict } from './verdict.js';
import { asItBegins } from './views.js';

/** What a key that was used before makes of an operation. */
export function replayed(state: ModelState, asked: Asked): Verdict | undefined {
  if (asked.key === undefined) return undefined;
  const known = state.keys.get(keyName(actorOf(asked.by), asked.key));
  if (!known) return undefined;
  if (known.asked !== JSON.stringify(asked.operation)) return refused('idempotency_conflict');
  const topic = state.topics.get(known.topic);
  const event = topic?.events[known.seq - 1];
  if (!topic || !event || (topic.erased && known.seq <= topic.floor)) {
    return refused('channel_not_found');
  }
  return { kind: 'replayed', answer: firstAnswer(event) };
}

/** The first answer to the caller. */
export function firstAnswer(event: ModelEvent): unknown {
  const { topic, seq, at, actor } = event;
  const made = { type: event.type, data: event.data } as ChannelEvent;
  if (made.type === 'message_posted') {
    const channelId = topic.slice('channel:'.length);
    return { ...made.data, channelId, seq, createdAt: at, replyCount: 0, reactions: [] };
  }
  if (made.type === 'channel_created') {
    return {
      ...made.data,
      createdBy: actor,
      createdAt: at,
      updatedAt: at,
      memberCount: 1,
      messageCount: 0,
      pinnedAssetIds: [],
      ...asItBegins(made.data.channelId),
      headSeq: 2,
    };
  }
  throw new Error(`no operation with a key begins with ${event.type}`);
}
