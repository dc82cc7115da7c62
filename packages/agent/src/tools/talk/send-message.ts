import type { RunContext } from '@stoa/core';
import { type InboxItem, LIMITS, SessionId, StoaError, TaskId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

/** The session that started this one. */
const PARENT = 'parent';

const SendMessageInput = z.strictObject({
  to: z
    .union([z.literal(PARENT), SessionId, TaskId])
    .describe('A background task, a session, or "parent": the agent that started you'),
  message: z.string().min(1).max(LIMITS.textChars),
  subject: z.string().min(1).max(LIMITS.titleChars).optional(),
});

/** Text for a session or an agent needs no approval. Text for the standard input of a command is an execution. */
export const sendMessage = defineTool({
  name: 'send_message',
  description:
    'Sends a private message to one of your background tasks or to another session. It is delivered when ' +
    'the recipient next reads its inbox; an answer arrives as a message too. A task that accepts no messages ' +
    'gives the reason. If another agent started you in the background, report progress to "parent": it is ' +
    'also shown in the thread that you were started in.',
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
  async execute({ to: recipient, message, subject }, { run, callId }) {
    const to = recipient === PARENT ? run.session.parentSessionId : recipient;
    if (to === null) throw new StoaError('invalid_request', 'No other agent started you');
    if (isTask(to)) {
      const text = subject === undefined ? message : `${subject}\n\n${message}`;
      const { status } = await run.tasks.send(to, text);
      return { text: `Sent. ${to} is ${status}.` };
    }
    const item = await run.messages.send(callId, { toSessionId: to, text: message, subject });
    return { text: receipt(item) };
  },
});

const isTask = (id: string): boolean => id.startsWith('tsk_');

/** The command whose standard input receives the message, if the recipient is a command. */
async function commandOf(run: RunContext, to: string): Promise<string | undefined> {
  if (!isTask(to)) return undefined;
  const { kind, detail } = await run.tasks.get(to);
  if (kind !== 'shell') return undefined;
  const { command } = detail;
  return typeof command === 'string' ? command : '';
}

function receipt({ itemId, appliedRule, ceiling }: InboxItem): string {
  const limit =
    ceiling === undefined
      ? ''
      : ` Your own limits apply to it there: at most mode ${ceiling.mode}.`;
  const how = appliedRule === 'followup' ? ' It waits for a run of its own.' : '';
  return `Sent as ${itemId}.${how}${limit}`;
}
