import type { InboxItem } from '@stoa/protocol';
import type { DraftedRun } from './channel-drafts.js';
import type { Claim } from './ownership.js';

/** Where a run has the turn, if it has one, and as whom. */
export function draftedRun(
  { runId, kind, origin, session }: Claim,
  items: readonly InboxItem[],
): Omit<DraftedRun, 'publishesText'> | undefined {
  const { channelId, messageId } = origin;
  const delivery = items.find((item) => item.delivery !== undefined)?.delivery;
  if (kind !== 'channel_delivery' || !delivery || !channelId || !messageId) return undefined;
  return {
    runId,
    sessionId: session.sessionId,
    channelId,
    memberId: delivery.self.memberId,
    displayName: delivery.self.name,
    threadRootMessageId: delivery.threadRootMessageId,
    replyToMessageId: delivery.replyToMessageId ?? messageId,
  };
}
