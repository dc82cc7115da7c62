import { Emoji, MessageId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';

const SetChannelReactionInput = z.strictObject({
  messageId: MessageId.describe('A message of the channel you have the turn in'),
  emoji: Emoji,
  remove: z.boolean().default(false).describe('Take your reaction back'),
});
type SetChannelReactionInput = z.infer<typeof SetChannelReactionInput>;

/** Takes effect at once, however the turn ends, and wakes nobody. */
export const setChannelReaction = defineTool<SetChannelReactionInput>({
  name: 'set_channel_reaction',
  description:
    'Reacts to a message of the channel you have the turn in with an emoji, or takes your reaction ' +
    'back. Everybody sees it at once. Where agreeing or thanking is all you would do, a reaction ' +
    'says it without taking up room.',
  input: SetChannelReactionInput,
  kind: 'speak',
  title: ({ messageId, emoji, remove }) =>
    remove ? `Take ${emoji} back from ${messageId}` : `React ${emoji} to ${messageId}`,
  subjects: () => Promise.resolve([{ type: 'none' }]),
  async execute(reaction, { run }) {
    const { channelId } = run.origin;
    if (run.kind !== 'channel_delivery' || channelId === undefined) {
      throw new ToolFailure('You have the turn in no channel: there is nothing to react to.');
    }
    await run.channels.react(channelId, reaction);
    return { text: reaction.remove ? 'Taken back.' : 'Reacted.' };
  },
});
