import type { AgentDefinition } from '@stoa/protocol';
import { access } from '../access/module.js';
import { defineHook } from '../kernel/hooks.js';
import { defineModule } from '../kernel/module.js';
import { type AgentFiles, Agents, type DefinitionCheck } from './agents.js';
import type { Workspaces } from './workspaces.js';

export interface AgentPorts {
  readonly runtime: {
    readonly agentFiles: AgentFiles;
    readonly workspaces: Workspaces;
    readonly definitionProblem: DefinitionCheck;
    readonly definitionLack: (definition: AgentDefinition) => Promise<string | undefined>;
    /** Agents that come with Stoa. */
    readonly builtinAgents: () => Promise<Readonly<Record<string, AgentDefinition>>>;
  };
}

/** A definition replaced another one, or none. */
export const DEFINITION_REPLACED = defineHook<
  [agentId: string, before: AgentDefinition | undefined],
  Promise<void> | undefined
>('definition replaced');

/** Definitions of agents, from files, the API and Stoa itself. */
export const agents = defineModule({
  name: 'agents',
  needs: [access],
  create({ store, clock, hooks, diagnose }, { runtime }: AgentPorts) {
    const service = new Agents({
      store,
      clock,
      files: runtime.agentFiles,
      workspaces: runtime.workspaces,
      problemOf: runtime.definitionProblem,
      lackOf: runtime.definitionLack,
      async replaced(agentId, before) {
        try {
          await hooks.notify(DEFINITION_REPLACED, agentId, before);
        } catch (error) {
          diagnose('a changed definition could not be announced', { agentId, error });
        }
      },
      builtin: runtime.builtinAgents,
    });
    return { services: { agents: service } };
  },
});
