import type { Message } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { messageText } from '../terminal/message-text.js';
import { textFrom } from './message-input.js';

export interface ReactOptions extends GlobalFlags {
  readonly remove?: boolean;
}

function show(context: Context, message: Message): void {
  context.answer(message, () =>
    messageText(message, { paint: context.paint, now: context.io.now(), ids: true }),
  );
}

export async function showMessage(
  context: Context,
  [channelId = '', messageId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.messages.get(channelId, messageId));
}

export async function editMessage(
  context: Context,
  [channelId = '', messageId = '', ...words]: readonly string[],
): Promise<void> {
  const text = await textFrom(context, words);
  show(context, await context.client.messages.edit(channelId, messageId, text));
}

export async function deleteMessage(
  context: Context,
  [channelId = '', messageId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.messages.delete(channelId, messageId));
}

export async function reactToMessage(
  context: Context,
  [channelId = '', messageId = '', emoji = '']: readonly string[],
  options: ReactOptions,
): Promise<void> {
  const { messages } = context.client;
  const message = options.remove
    ? await messages.unreact(channelId, messageId, emoji)
    : await messages.react(channelId, messageId, emoji);
  show(context, message);
}
