import type { Agent, AgentDefinition, McpServerHealth } from '@stoa/protocol';
import type { Caller, CallOptions } from '../http/caller.js';
import type { Defaulted } from './defaulted.js';
import type { QueryFor } from './query.js';

export interface AgentsApi {
  /** Those with a broken definition too, and with `workspace` those that lie in it. */
  list(query?: QueryFor<'listAgents'>, options?: CallOptions): Promise<readonly Agent[]>;
  get(agentId: string, query?: QueryFor<'getAgent'>, options?: CallOptions): Promise<Agent>;
  /** Makes or replaces one; sessions that exist keep what they have until they are refreshed. */
  put(
    agentId: string,
    definition: Defaulted<AgentDefinition, 'mode' | 'instructions'>,
    options?: CallOptions,
  ): Promise<Agent>;
  /** Makes one, and leaves one that has this id as it is: `agent_exists`. */
  create(
    agentId: string,
    definition: Defaulted<AgentDefinition, 'mode' | 'instructions'>,
    options?: CallOptions,
  ): Promise<Agent>;
  delete(agentId: string, options?: CallOptions): Promise<void>;
  /** `null` clears it. */
  setNickname(agentId: string, nickname: string | null, options?: CallOptions): Promise<Agent>;
  /** The MCP servers of all agents, and how they are. */
  mcpServers(options?: CallOptions): Promise<readonly McpServerHealth[]>;
}

export function agentsApi(call: Caller): AgentsApi {
  return {
    list: async (query, options) => (await call('listAgents', { query, ...options })).agents,
    get: (agentId, query, options) => call('getAgent', { params: { agentId }, query, ...options }),
    put: (agentId, definition, options) =>
      call('putAgent', { params: { agentId }, body: definition as AgentDefinition, ...options }),
    create: (agentId, definition, options) =>
      call('putAgent', {
        params: { agentId },
        query: { existing: 'refuse' },
        body: definition as AgentDefinition,
        ...options,
      }),
    delete: (agentId, options) => call('deleteAgent', { params: { agentId }, ...options }),
    setNickname: (agentId, nickname, options) =>
      call('setNickname', { params: { agentId }, body: { nickname }, ...options }),
    mcpServers: async (options) => (await call('listMcpServers', { ...options })).servers,
  };
}
