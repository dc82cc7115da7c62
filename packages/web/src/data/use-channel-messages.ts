import { useEffect, useSyncExternalStore } from 'react';
import { ChannelMessages, type ChannelView } from './channel-messages.js';
import { client } from './client.js';
import { live, useConnection } from './live.js';
import { ofThread } from './of-thread.js';

/** One for each channel and thread that was open: what waits to be sent there outlives a look elsewhere. */
const opened = new Map<string, ChannelMessages>();

export interface OpenChannel {
  readonly view: ChannelView;
  readonly messages: ChannelMessages;
}

export function useChannelMessages(channelId: string, me: string): OpenChannel {
  return useWatched(messagesOf(channelId, me));
}

/** Those of one thread, as if it were a channel of its own. */
export function useThreadMessages(channelId: string, rootId: string, me: string): OpenChannel {
  return useWatched(messagesOf(channelId, me, rootId));
}

function useWatched(messages: ChannelMessages): OpenChannel {
  const view = useSyncExternalStore(messages.watch, () => messages.view);
  const connection = useConnection();
  useEffect(() => {
    if (connection === 'live') messages.sendWaiting();
  }, [connection, messages]);
  return { view, messages };
}

function messagesOf(channelId: string, me: string, rootId?: string): ChannelMessages {
  const name = rootId === undefined ? channelId : `${channelId} ${rootId}`;
  const known = opened.get(name);
  if (known) return known;
  const source = rootId === undefined ? { client, live } : ofThread({ client, live }, rootId);
  const made = new ChannelMessages(channelId, { ...source, me, now: Date.now, newKey });
  opened.set(name, made);
  return made;
}

/** Not `randomUUID`: browsers have that on secure origins only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
