import { Emoji, MessageId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';

const SetChannelReactionInput = z.strictObject({
  messageId: MessageId.describe('A message in the channel of your turn'),
  emoji: Emoji,
  remove: z.boolean().default(false).describe('Remove your reaction'),
});

/** Takes effect at once, independently of the end of the turn, and wakes nobody. */
export const setChannelReaction = defineTool({
  name: 'set_channel_reaction',
  description:
    'Reacts with an emoji to a message in the channel of your turn, or removes your reaction. Everybody ' +
    'sees it at once. Prefer a reaction if you would only agree or thank.',
  input: SetChannelReactionInput,
  kind: 'speak',
  title: ({ messageId, emoji, remove }) =>
    remove ? `Remove ${emoji} from ${messageId}` : `React ${emoji} to ${messageId}`,
  subjects: () => [{ type: 'none' }],
  async execute(reaction, { run }) {
    const { channelId } = run.origin;
    if (run.kind !== 'channel_delivery' || channelId === undefined) {
      throw new ToolFailure('You do not have the turn in a channel: there is nothing to react to.');
    }
    await run.channels.react(channelId, reaction);
    return { text: reaction.remove ? 'Removed.' : 'Reacted.' };
  },
});
