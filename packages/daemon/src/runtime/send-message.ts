import { PARENT, type SendMessage } from '@stoa/agent';
import type { Core } from '@stoa/core';
import { type InboxItem, type Principal, StoaError } from '@stoa/protocol';

/**
 * From the session itself to a background task of it, or to another session; to the latter one call is one
 * message, however often it is tried. A message of a background agent to the session that started it is a
 * milestone: it is also posted in the thread the agent was started in.
 */
export function sendMessageOf(core: () => Core): SendMessage {
  return {
    async send({ run, callId, to: addressee, message, subject }) {
      const { sessionId, parentSessionId } = run.session;
      const to = addressee === PARENT ? parentSessionId : addressee;
      if (to === null) throw new StoaError('invalid_request', 'No other agent started you');
      const by = selfOf(sessionId);
      if (to.startsWith('tsk_')) {
        const text = subject === undefined ? message : `${subject}\n\n${message}`;
        const { status } = await core().tasks.send(by, to, text);
        return `Sent. ${to} is ${status}.`;
      }
      const request = { toSessionId: to, text: message, ...(subject ? { subject } : {}) };
      const key = `${run.runId}:${callId}`;
      const { mailbox, subAgents, storeWait } = core();
      const send = () => mailbox.send(by, sessionId, request, key);
      const item = await storeWait.run(send, run.signal);
      await subAgents.milestone(sessionId, to, subject ?? message);
      return receipt(item);
    },
    async commandOf({ session }, to) {
      if (!to.startsWith('tsk_')) return undefined;
      const { kind, detail } = await core().tasks.get(selfOf(session.sessionId), to);
      if (kind !== 'shell') return undefined;
      const { command } = detail;
      return typeof command === 'string' ? command : '';
    },
  };
}

const selfOf = (sessionId: string): Principal => ({
  kind: 'session',
  id: sessionId,
  credentialId: 'session',
});

function receipt({ itemId, appliedRule, ceiling }: InboxItem): string {
  const limit =
    ceiling === undefined
      ? ''
      : ` What it asks for is done under your own limits there: at most mode ${ceiling.mode}.`;
  const how = appliedRule === 'followup' ? ' It waits for a run of its own.' : '';
  return `Sent as ${itemId}.${how}${limit}`;
}
