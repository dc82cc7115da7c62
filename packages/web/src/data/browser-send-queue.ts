import { keep, kept, keptKeys } from '../app/kept.js';
import { client } from './client.js';
import { useWhileLive } from './live.js';
import { SendQueue } from './send-queue.js';

let known: { readonly me: string; readonly sendQueue: SendQueue } | undefined;

/** The send queue of one person in this browser: another login does not send it. */
export function sendQueueOf(me: string): SendQueue {
  if (known?.me !== me) {
    const prefix = `send-queue:${me}:`;
    const shelf = {
      all: () => keptKeys(prefix).flatMap((key) => kept(key) ?? []),
      put: (key: string, text: string) => keep(prefix + key, text),
      drop: (key: string) => keep(prefix + key, undefined),
    };
    known = { me, sendQueue: new SendQueue({ client, shelf, now: Date.now, newKey }) };
  }
  return known.sendQueue;
}

/** Sends waiting messages on every page; used once, by the shell. */
export function useSendQueue(me: string): void {
  useWhileLive(() => sendQueueOf(me).sendWaiting());
}

/** Not `randomUUID`: browsers offer it only on secure origins. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
