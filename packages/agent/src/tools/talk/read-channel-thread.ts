import type { ThreadLocation } from '@stoa/core';
import { ChannelId, MessageId, Seq } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';
import { threadText } from './thread-text.js';

const PAGE_MESSAGES = 50;

export const ReadChannelThreadInput = z.strictObject({
  channelId: ChannelId.optional().describe(
    'A channel you are a member of; by default that of your turn',
  ),
  threadRootMessageId: MessageId.optional().describe(
    'The first message of the thread; by default the thread of your turn',
  ),
  before: Seq.optional().describe('The seq of a message: the page before it'),
  after: Seq.optional().describe('The seq of a message: the page after it'),
  limit: z.int().min(1).max(PAGE_MESSAGES).default(20),
});
export type ReadChannelThreadInput = z.infer<typeof ReadChannelThreadInput>;

export const readChannelThread = defineTool({
  name: 'read_channel_thread',
  description:
    'Reads a thread of a channel you are a member of, page by page: its first message, and the newest ' +
    'replies unless a position is given. Use it to read more than your turn contains, or newer messages.',
  input: ReadChannelThreadInput,
  kind: 'read',
  title: ({ threadRootMessageId }) => `Read thread ${threadRootMessageId ?? 'of this turn'}`,
  subjects: () => [{ type: 'none' }],
  async execute(input, { run }) {
    const location = threadLocation(input, run.origin);
    return { text: threadText(await run.channels.readThread(location, input), input) };
  },
});

interface Here {
  readonly channelId?: string | undefined;
  readonly threadRootMessageId?: string | undefined;
  readonly messageId?: string | undefined;
}

/** Defaults to the channel and thread of the turn; for another channel, the thread must be named. */
export function threadLocation(
  { channelId, threadRootMessageId }: Here,
  here: Here,
): ThreadLocation {
  const channel = channelId ?? here.channelId;
  const ofTurn = here.threadRootMessageId ?? here.messageId;
  const messageId = threadRootMessageId ?? (channel === here.channelId ? ofTurn : undefined);
  if (channel === undefined || messageId === undefined) {
    throw new ToolFailure(
      'Name a channelId and a threadRootMessageId: you do not have a turn there.',
    );
  }
  return { channelId: channel, messageId };
}
