import type { RunContext } from '@stoa/core';
import { LIMITS, SessionId, TaskId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool, type Tool } from '../tool.js';

/** Stands for the session that started this one. */
export const PARENT = 'parent';

const SendMessageInput = z.strictObject({
  to: z
    .union([z.literal(PARENT), SessionId, TaskId])
    .describe('A background task, a session, or "parent": the agent that started you'),
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

export interface SendMessage {
  /** Resolves when the message is durable, with the receipt for the sender. Throws a StoaError otherwise. */
  readonly send: (message: OutgoingMessage) => Promise<string>;
  /** The command that reads the message from its standard input, where the recipient is one. */
  readonly commandOf: (run: RunContext, to: string) => Promise<string | undefined>;
}

/** Words for a session or an agent need no approval. What a command reads from its standard input is an execution. */
export function createSendMessage({ send, commandOf }: SendMessage): Tool {
  return defineTool<SendMessageInput>({
    name: 'send_message',
    description:
      'Sends a private message to a background task of yours or to another session. It is delivered ' +
      'when that one next looks; an answer, if there is one, reaches you as a message too. A task that ' +
      'takes no messages says why. If another agent started you in the background, send what you have ' +
      'reached so far to "parent": it is shown in the thread that you were started in too.',
    input: SendMessageInput,
    kind: 'speak',
    title: ({ to, subject, message }) => `Message to ${to}: ${subject ?? message}`,
    async subjects({ to, message }, { run }) {
      const command = await commandOf(run, to);
      return [command === undefined ? { type: 'none' } : { type: 'input', text: message }];
    },
    async review({ to }, { run }) {
      const command = await commandOf(run, to);
      if (command === undefined) return {};
      return { detail: command, notes: [`${to} reads the message from its standard input.`] };
    },
    async execute({ to, message, subject }, { run, callId }) {
      return { text: await send({ run, callId, to, message, subject }) };
    },
  });
}
