import { type AgentDefinition, type DriverKind, driverSpec, StoaError } from '@stoa/protocol';
import type { AgentDriver } from './agent-driver.js';
import { isToolNameOf } from './mcp/server-tools.js';

interface DefinitionCheckPorts {
  /** All tools of Stoa, including disabled ones. */
  readonly toolNames: readonly string[];
  readonly drivers: Readonly<Record<DriverKind, Pick<AgentDriver, 'assertSound'>>>;
}

/** Why an agent with this definition cannot work here, as far as that is known before a run. */
export async function definitionProblem(
  definition: AgentDefinition,
  { toolNames, drivers }: DefinitionCheckPorts,
  workspace?: string,
): Promise<StoaError | undefined> {
  const { driver } = definition;
  try {
    if (driverSpec(driver.kind).usesStoaTools) assertToolsExist(definition, toolNames);
    await drivers[driver.kind].assertSound(driver, workspace);
    return undefined;
  } catch (error) {
    if (error instanceof StoaError) return error;
    throw error;
  }
}

function assertToolsExist(
  { tools, mcpServers = {} }: AgentDefinition,
  known: readonly string[],
): void {
  const servers = Object.keys(mcpServers);
  for (const list of ['only', 'without'] as const) {
    const unknown = tools?.[list]?.find(
      (name) => !known.includes(name) && !servers.some((server) => isToolNameOf(server, name)),
    );
    if (unknown === undefined) continue;
    const all = [...known, ...servers.map((server) => `mcp__${server}__…`)].join(', ');
    throw new StoaError(
      'unknown_tool',
      `tools.${list}: there is no tool ${unknown}; there are ${all}`,
    );
  }
}
