import { useEffect, useSyncExternalStore } from 'react';
import { ChannelMessages, type ChannelView } from './channel-messages.js';
import { client } from './client.js';
import { live, useConnection } from './live.js';

/** One for each channel that was open: what waits to be sent there outlives a look elsewhere. */
const opened = new Map<string, ChannelMessages>();

export interface OpenChannel {
  readonly view: ChannelView;
  readonly messages: ChannelMessages;
}

export function useChannelMessages(channelId: string, me: string): OpenChannel {
  const messages = messagesOf(channelId, me);
  const view = useSyncExternalStore(messages.watch, () => messages.view);
  const connection = useConnection();
  useEffect(() => {
    if (connection === 'live') messages.sendWaiting();
  }, [connection, messages]);
  return { view, messages };
}

function messagesOf(channelId: string, me: string): ChannelMessages {
  const known = opened.get(channelId);
  if (known) return known;
  const made = new ChannelMessages(channelId, { client, live, me, now: Date.now, newKey });
  opened.set(channelId, made);
  return made;
}

/** Not `randomUUID`: browsers have that on secure origins only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
