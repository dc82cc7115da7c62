import { type AgentDefinition, StoaError } from '@stoa/protocol';
import { agentProgram } from './acp/agent-program.js';
import { programLack } from './acp/find-program.js';
import type { ModelFailure } from './builtin/model-failure.js';
import type { Wish } from './builtin/models.js';
import { isToolNameOf } from './mcp/server-tools.js';
import { parseScript } from './script/parse-script.js';

/** What definitions are held against. */
export interface DefinitionCheckPorts {
  /** Every tool Stoa has, those too that are switched off. */
  readonly toolNames: readonly string[];
  readonly modelProblem: (wish: Wish) => ModelFailure | undefined;
  /** What an agent of Stoa's own driver lacks to be answered by its model. */
  readonly modelLack: (wish: Wish) => string | undefined;
  /** What the program of a definition failed of last, where its definition is the cause. */
  readonly programProblem: (driver: AcpConfig) => string | undefined;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Throws `invalid_agent` when it cannot be read. */
  readonly readScript: (workspace: string, file: string) => Promise<string>;
}

/**
 * Why an agent of this definition cannot work here, as far as that shows before a run; undefined when
 * nothing does. A script in a file is looked at where a workspace is known.
 */
export async function definitionProblem(
  definition: AgentDefinition,
  ports: DefinitionCheckPorts,
  workspace?: string,
): Promise<StoaError | undefined> {
  try {
    assertToolsExist(definition, ports.toolNames);
    await assertDriverWorks(definition.driver, ports, workspace);
    return undefined;
  } catch (error) {
    if (error instanceof StoaError) return error;
    throw error;
  }
}

type AcpConfig = Extract<AgentDefinition['driver'], { kind: 'acp' }>;

/** What an agent of this definition would need here and does not find, though the definition is sound. */
export async function definitionLack(
  { driver }: AgentDefinition,
  ports: Pick<DefinitionCheckPorts, 'modelLack' | 'programProblem' | 'environment'>,
): Promise<string | undefined> {
  if (driver.kind === 'acp') {
    const program = agentProgram(driver, ports.environment);
    return (await programLack(program)) ?? ports.programProblem(driver);
  }
  return driver.kind === 'builtin' ? ports.modelLack(driver) : undefined;
}

async function assertDriverWorks(
  driver: AgentDefinition['driver'],
  { modelProblem, environment, readScript }: DefinitionCheckPorts,
  workspace: string | undefined,
): Promise<void> {
  switch (driver.kind) {
    case 'builtin': {
      const problem = modelProblem(driver);
      // Without any model the definition is sound: its runs say what to set.
      if (problem?.code === 'unknown_model') throw new StoaError('unknown_model', problem.message);
      return;
    }
    case 'acp':
      agentProgram(driver, environment);
      return;
    case 'script': {
      const { script, file } = driver;
      if (script !== undefined) parseScript(script);
      else if (file === undefined) {
        throw new StoaError('invalid_agent', 'driver: one of file and script is needed');
      } else if (workspace !== undefined) parseScript(await readScript(workspace, file), file);
    }
  }
}

/** Programs that speak ACP bring tools of their own, which nobody here selects. */
function assertToolsExist(
  { driver, tools, mcpServers = {} }: AgentDefinition,
  known: readonly string[],
): void {
  if (driver.kind === 'acp') return;
  const servers = Object.keys(mcpServers);
  for (const list of ['only', 'without'] as const) {
    const unknown = tools?.[list]?.find(
      (name) => !known.includes(name) && !servers.some((server) => isToolNameOf(server, name)),
    );
    if (unknown === undefined) continue;
    const there = [...known, ...servers.map((server) => `mcp__${server}__…`)].join(', ');
    throw new StoaError(
      'unknown_tool',
      `tools.${list}: there is no tool ${unknown}; there are ${there}`,
    );
  }
}
