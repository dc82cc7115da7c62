import type { FollowItem } from '@stoa/client';
import type { ChannelMessagesPorts } from './channel-messages.js';

type Source = Pick<ChannelMessagesPorts, 'client' | 'live'>;

/** The messages and signals of a channel that belong to one thread. The root is not among the replies. */
export function ofThread({ client, live }: Source, rootId: string): Source {
  const { messages } = client;
  return {
    client: {
      messages: {
        ...messages,
        list: (channelId, query, options) =>
          messages.list(channelId, { ...query, threadRootMessageId: rootId }, options),
      },
    },
    live: {
      listen: (topic, listener) =>
        live.listen(topic, (signal) => {
          if (signal.type !== 'item' || isIn(signal.item, rootId)) listener(signal);
        }),
    },
  };
}

/** What changes a message is let through: who does not have that message does not mind. */
function isIn(item: FollowItem, rootId: string): boolean {
  if (item.type === 'draft') return item.threadRootMessageId === rootId;
  if (item.type === 'message_posted') return item.data.threadRootMessageId === rootId;
  return true;
}
