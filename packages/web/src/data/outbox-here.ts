import { keep, kept, keptKeys } from '../app/kept.js';
import { client } from './client.js';
import { useWhileLive } from './live.js';
import { Outbox } from './outbox.js';

let known: { readonly me: string; readonly outbox: Outbox } | undefined;

/** What this browser has on its way for somebody: who logs in after them does not speak in their name. */
export function outboxOf(me: string): Outbox {
  if (known?.me !== me) {
    const prefix = `outbox:${me}:`;
    const shelf = {
      all: () => keptKeys(prefix).flatMap((key) => kept(key) ?? []),
      put: (key: string, text: string) => keep(prefix + key, text),
      drop: (key: string) => keep(prefix + key, undefined),
    };
    known = { me, outbox: new Outbox({ client, shelf, now: Date.now, newKey }) };
  }
  return known.outbox;
}

/** Sends what waits, wherever the reader is; used once, by the shell. */
export function useOutbox(me: string): void {
  useWhileLive(() => outboxOf(me).sendWaiting());
}

/** Not `randomUUID`: browsers have that on secure origins only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
