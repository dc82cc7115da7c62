import { Emoji, MessageId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool, type Tool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';
import type { ChannelActs } from './channel-acts.js';

const SetChannelReactionInput = z.strictObject({
  messageId: MessageId.describe('A message of the channel you have the turn in'),
  emoji: Emoji,
  remove: z.boolean().default(false).describe('Take your reaction back'),
});
type SetChannelReactionInput = z.infer<typeof SetChannelReactionInput>;

/** It happens at once, whatever becomes of the turn, and wakes nobody. */
export function createSetChannelReaction({ react }: Pick<ChannelActs, 'react'>): Tool {
  return defineTool<SetChannelReactionInput>({
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
      await react(run, channelId, reaction);
      return { text: reaction.remove ? 'Taken back.' : 'Reacted.' };
    },
  });
}
