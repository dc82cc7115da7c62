import type { Core } from '@stoa/core';
import { ChannelId, Emoji, MessageId, type Principal, Seq } from '@stoa/protocol';
import { z } from 'zod';
import { type OfferedTool, offer } from './offered-tool.js';
import type { Words } from './words.js';

const ReadThreadInput = z.strictObject({
  channelId: ChannelId,
  threadRootMessageId: MessageId.describe('The message that begins the thread'),
  before: Seq.optional().describe('The seq of a message: the page before it'),
  after: Seq.optional().describe('The seq of a message: the page after it'),
  limit: z.int().min(1).max(50).default(20),
});
const SetReactionInput = z.strictObject({
  channelId: ChannelId,
  messageId: MessageId,
  emoji: Emoji,
  remove: z.boolean().default(false).describe('Take the reaction back'),
});

/** What people do in the threads of a channel, as themselves. */
export function channelTools({ channels }: Core, by: Principal, words: Words): OfferedTool[] {
  return [
    offer<z.infer<typeof ReadThreadInput>>({
      name: 'read_channel_thread',
      description: 'Reads a thread of a channel, the newest page unless a position is given.',
      input: ReadThreadInput,
      isReading: true,
      async call({ channelId, ...query }) {
        const page = await channels.messages(by, channelId, { ...query, scope: 'all' });
        return { text: words.messages(channelId, page), data: page };
      },
    }),
    offer<z.infer<typeof SetReactionInput>>({
      name: 'set_channel_reaction',
      description: 'Reacts to a message with an emoji, or takes the reaction back.',
      input: SetReactionInput,
      isReading: false,
      async call({ channelId, messageId, emoji, remove }) {
        const change = remove ? channels.unreact.bind(channels) : channels.react.bind(channels);
        const message = await change(by, channelId, messageId, { emoji });
        return { text: remove ? 'Taken back.' : 'Reacted.', data: { message } };
      },
    }),
  ];
}
