import type { ChannelActs, ThreadPart } from '@stoa/agent';
import type { Core } from '@stoa/core';
import type { Principal } from '@stoa/protocol';

/** What a session does in channels: as itself, and no more than its membership lets it. */
export function channelActsOf(core: () => Core): ChannelActs {
  return {
    async react({ session }, channelId, { messageId, emoji, remove }) {
      const { channels } = core();
      const by = sessionPrincipal(session.sessionId);
      if (remove) await channels.unreact(by, channelId, messageId, { emoji });
      else await channels.react(by, channelId, messageId, { emoji });
    },
    readAsset: ({ session }, channelId, assetId) =>
      core().channels.asset(sessionPrincipal(session.sessionId), channelId, assetId),
    readThread: ({ session }, place, cut) =>
      readThreadAs(core(), sessionPrincipal(session.sessionId), place, cut),
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
