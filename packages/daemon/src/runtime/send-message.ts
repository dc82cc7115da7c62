import type { SendMessage } from '@stoa/agent';
import type { Core } from '@stoa/core';

/** From the session itself to another; one call is one message, however often it is tried. */
export function sendMessageOf(core: () => Core): SendMessage {
  return async ({ run, callId, to, message, subject }) => {
    const { sessionId } = run.session;
    const by = { kind: 'session' as const, id: sessionId, credentialId: 'session' };
    const request = { toSessionId: to, text: message, ...(subject ? { subject } : {}) };
    const key = `${run.runId}:${callId}`;
    const { itemId } = await core().sessions.sendMessage(by, sessionId, request, key);
    return `Sent as ${itemId}.`;
  };
}
