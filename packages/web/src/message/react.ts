import type { Message } from '@stoa/protocol';
import { client } from '../data/client.js';
import { toast } from '../ui/toast.js';

/** Sets or removes the reader's reaction. An event reports the result. */
export async function toggleReaction(message: Message, emoji: string, me: string): Promise<void> {
  const { channelId, messageId, reactions } = message;
  const isSet = reactions.some(
    (reaction) => reaction.emoji === emoji && reaction.actorIds.includes(me),
  );
  try {
    if (isSet) await client.messages.unreact(channelId, messageId, emoji);
    else await client.messages.react(channelId, messageId, emoji);
  } catch (error) {
    toast.problem(error);
  }
}
