import { useSyncExternalStore } from 'react';
import { sendQueueOf } from './browser-send-queue.js';
import { ChannelMessages } from './channel-messages.js';
import type { ChannelView } from './channel-view.js';
import { client } from './client.js';
import { live, useWhileLive } from './live.js';
import { ofThread } from './of-thread.js';
import { conversationKey } from './pending.js';

/** The end of channels and threads that were open, to be shown at once to who comes back. */
const opened = new Map<string, ChannelMessages>();
const MAX_OPENED = 40;

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
  useWhileLive(() => messages.recover());
  return { view, messages };
}

function messagesOf(channelId: string, me: string, rootId?: string): ChannelMessages {
  const name = conversationKey(channelId, rootId);
  const known = opened.get(name);
  if (known) return known;
  const source = rootId === undefined ? { client, live } : ofThread({ client, live }, rootId);
  const made = new ChannelMessages(
    channelId,
    { ...source, me, sendQueue: sendQueueOf(me), rest },
    rootId,
  );
  const [oldest] = [...opened].filter(([, { isWatched }]) => !isWatched);
  if (opened.size >= MAX_OPENED && oldest) opened.delete(oldest[0]);
  opened.set(name, made);
  return made;
}

const REST_MS = 2_000;
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REST_MS));
