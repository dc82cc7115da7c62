import { OWNER, PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Agents: defined in files, and created over the API. */
export const AGENTS_ROUTES = tagged('agents', {
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    summary: 'List agents, including those with a broken definition',
    access: PEOPLE,
    query: 'AgentsQuery',
    answer: 'ListAgentsAnswer',
    client: 'agents.list',
    unwrap: 'agents',
  },
  getAgent: {
    method: 'GET',
    path: '/v1/agents/:agentId',
    summary: 'Read an agent',
    access: PEOPLE,
    query: 'AgentsQuery',
    answer: 'Agent',
    client: 'agents.get',
  },
  putAgent: {
    method: 'PUT',
    path: '/v1/agents/:agentId',
    summary: 'Create or replace an agent (owner); existing sessions keep their copy',
    access: OWNER,
    query: 'PutAgentQuery',
    body: 'AgentDefinition',
    bodyLimit: 2 * 1024 * 1024,
    answer: 'Agent',
    retry: 'always',
    client: 'agents.put',
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/v1/agents/:agentId',
    summary: 'Delete an agent that is not defined in a file (owner)',
    access: OWNER,
    status: 204,
    client: 'agents.delete',
  },
  setNickname: {
    method: 'PUT',
    path: '/v1/agents/:agentId/nickname',
    summary: 'Set, change or clear the nickname of an agent',
    access: PEOPLE,
    body: 'PutNickname',
    answer: 'Agent',
    retry: 'always',
    client: 'agents.setNickname',
    shorthand: 'nickname',
  },
});
