import type { ChannelActs, ThreadPart } from '@stoa/agent';
import type { Core } from '@stoa/core';
import type { Principal } from '@stoa/protocol';

/** What a session does in channels: as itself, and no more than its membership lets it. */
export function channelActsOf(core: () => Core): ChannelActs {
  return {
    async react({ session, signal }, channelId, { messageId, emoji, remove }) {
      const { channels, storeWait } = core();
      const by = sessionPrincipal(session.sessionId);
      const act = remove ? 'unreact' : 'react';
      await storeWait.run(() => channels[act](by, channelId, messageId, { emoji }), signal);
    },
    readAsset: ({ session, signal }, channelId, assetId) => {
      const { channels, storeWait } = core();
      const by = sessionPrincipal(session.sessionId);
      return storeWait.run(() => channels.asset(by, channelId, assetId), signal);
    },
    readThread: ({ session, signal }, place, cut) => {
      const by = sessionPrincipal(session.sessionId);
      return core().storeWait.run(() => readThreadAs(core(), by, place, cut), signal);
    },
  };
}

export async function readThreadAs(
  { channels }: Core,
  by: Principal,
  ...[{ channelId, messageId }, { before, after, limit }]: ReadThread
): Promise<ThreadPart> {
  const named = await channels.message(by, channelId, messageId);
  const { threadRootMessageId = messageId } = named;
  const root =
    threadRootMessageId === messageId
      ? named
      : await channels.message(by, channelId, threadRootMessageId);
  const query = { threadRootMessageId, scope: 'all' as const, before, after, limit };
  const { messages, hasMore } = await channels.messages(by, channelId, query);
  return { root, replies: messages, hasMore };
}

type ReadThread =
  Parameters<ChannelActs['readThread']> extends [unknown, ...infer Asked] ? Asked : never;

const sessionPrincipal = (id: string): Principal => ({
  kind: 'session',
  id,
  credentialId: 'session',
});
