import type { SendMessage } from '@stoa/agent';
import type { Core } from '@stoa/core';

/**
 * From the session itself to a background task of it, or to another session; to the latter one call is one
 * message, however often it is tried. What an agent in the background tells who started it is a milestone
 * of it: the thread it was started in is told too.
 */
export function sendMessageOf(core: () => Core): SendMessage {
  return async ({ run, callId, to, message, subject }) => {
    const { sessionId } = run.session;
    const by = { kind: 'session' as const, id: sessionId, credentialId: 'session' };
    if (to.startsWith('tsk_')) {
      const text = subject === undefined ? message : `${subject}\n\n${message}`;
      const { status } = await core().tasks.send(by, to, text);
      return `Sent. ${to} is ${status}.`;
    }
    const request = { toSessionId: to, text: message, ...(subject ? { subject } : {}) };
    const key = `${run.runId}:${callId}`;
    const { itemId } = await core().sessions.sendMessage(by, sessionId, request, key);
    await core().subAgents.milestone(sessionId, to, subject ?? message);
    return `Sent as ${itemId}.`;
  };
}
