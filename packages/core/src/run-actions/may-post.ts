import { type Principal, StoaError } from '@stoa/protocol';
import type { ToolRequest } from '../permissions/request.js';
import type { RunContext } from '../runs/driver.js';

interface MayPostPorts {
  readonly assertMayUse: (
    by: Principal,
    asked: Pick<ToolRequest, 'tool' | 'kind'>,
  ) => Promise<void>;
  readonly runOf: (sessionId: string) => Pick<RunContext, 'kind' | 'origin'> | undefined;
}

/** Refuses a post of a session that has the turn in that channel: it would bypass the budget and lease of the turn. */
export async function assertMayPost(
  { assertMayUse, runOf }: MayPostPorts,
  by: Principal,
  channelId: string,
): Promise<void> {
  if (by.kind !== 'session') return;
  await assertMayUse(by, { tool: 'post_message', kind: 'speak' });
  const run = runOf(by.id);
  if (run?.kind !== 'channel_delivery' || run.origin.channelId !== channelId) return;
  throw new StoaError(
    'turn_in_progress',
    'This session has the turn in that channel: its answer is published there when its run ends',
  );
}
