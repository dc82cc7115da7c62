import type { Agent } from '@stoa/protocol';
import type { Context } from '../context.js';
import { UsageError } from '../failure.js';

export async function defaultAgentId(context: Context): Promise<string> {
  const chosen = defaultAgent(await context.client.agents.list());
  if (chosen) return chosen.agentId;
  throw new UsageError(
    'there is no default agent',
    'name one with --agent; see the agents: stoa agent list',
  );
}

/** The one that comes with Stoa; its own loop before scripts. */
export function defaultAgent(agents: readonly Agent[]): Agent | undefined {
  const own = agents.filter(({ source, status }) => source === 'builtin' && status === 'ready');
  return own.find(({ definition }) => definition?.driver.kind === 'builtin') ?? own[0];
}
