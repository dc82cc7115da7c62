import type { Core } from '@stoa/core';
import { type Principal, StoaError } from '@stoa/protocol';

/**
 * A session that has the turn in a channel speaks there by it, or the budget of the turn and its lease
 * would mean nothing.
 */
export async function assertMayPost(core: Core, by: Principal, channelId: string): Promise<void> {
  if (by.kind !== 'session') return;
  await core.assertMayUse(by, { tool: 'post_message', kind: 'speak' });
  const run = core.runner.contextOf(by.id);
  if (run?.kind !== 'channel_delivery' || run.origin.channelId !== channelId) return;
  throw new StoaError(
    'has_turn',
    'This session has the turn in that channel: its answer is published there when its run ends',
  );
}
