import type { AgentDefinition } from '@stoa/protocol';
import { stableJson } from '../kernel/stable-json.js';
import { withhold } from './withheld-values.js';
import type { ReadyAgent } from './workspaces.js';

type FindAgent = (agentId: string, workspace: string) => Promise<ReadyAgent>;

interface Used {
  readonly agentId: string;
  readonly workspace: string;
  /** The session's copy of the definition. */
  readonly definition: AgentDefinition;
}

/** Whether two definitions are the same, apart from values that sessions do not store. */
export const isSameDefinition = (one: AgentDefinition, other: AgentDefinition): boolean =>
  stableJson(withhold(one)) === stableJson(withhold(other));

/** Whether the agent of a session has another definition now, which a refresh would copy. */
export async function isOutdated(
  findAgent: FindAgent,
  { agentId, workspace, definition }: Used,
): Promise<boolean> {
  try {
    const current = await findAgent(agentId, workspace);
    return !isSameDefinition(current.definition, definition);
  } catch {
    // The agent was deleted or is broken: a refresh would fail.
    return false;
  }
}
