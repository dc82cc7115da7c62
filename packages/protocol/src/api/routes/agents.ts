import { OWNER, PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Agents: definitions in files, and those made here. */
export const AGENTS_ROUTES = tagged('agents', {
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    summary: 'List agents, those with a broken definition too',
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
    summary: 'Make or replace an agent (owner); sessions that run keep what they have',
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
    summary: 'Delete an agent that was made here (owner)',
    access: OWNER,
    status: 204,
    client: 'agents.delete',
  },
  setNickname: {
    method: 'PUT',
    path: '/v1/agents/:agentId/nickname',
    summary: 'Set, change or clear what an agent is called',
    access: PEOPLE,
    body: 'PutNickname',
    answer: 'Agent',
    retry: 'always',
    client: 'agents.setNickname',
    shorthand: 'nickname',
  },
});
