import type { RunContext } from '@stoa/core';
import { LIMITS, SessionId, TaskId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool, type Tool } from '../tool.js';

const SendMessageInput = z.strictObject({
  to: z.union([SessionId, TaskId]).describe('The background task or session that is to get it'),
  message: z.string().min(1).max(LIMITS.textChars),
  subject: z.string().min(1).max(LIMITS.titleChars).optional(),
});
type SendMessageInput = z.infer<typeof SendMessageInput>;

export interface OutgoingMessage {
  readonly run: RunContext;
  /** One call sends one message, however often it is tried. */
  readonly callId: string;
  readonly to: string;
  readonly message: string;
  readonly subject?: string | undefined;
}

/** Resolves when the message is durable, with what to tell the sender. Throws a StoaError otherwise. */
export type SendMessage = (message: OutgoingMessage) => Promise<string>;

export function createSendMessage(send: SendMessage): Tool {
  return defineTool<SendMessageInput>({
    name: 'send_message',
    description:
      'Sends a private message to a background task of yours or to another session. It is delivered ' +
      'when that one next looks; an answer, if there is one, reaches you as a message too. A task that ' +
      'takes no messages says why.',
    input: SendMessageInput,
    kind: 'speak',
    title: ({ to, subject, message }) => `Message to ${to}: ${subject ?? message}`,
    subjects: () => Promise.resolve([{ type: 'none' }]),
    async execute({ to, message, subject }, { run, callId }) {
      return { text: await send({ run, callId, to, message, subject }) };
    },
  });
}
