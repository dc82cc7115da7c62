import { z } from 'zod';
import { Agent, AgentDefinition, AgentId, PutNickname } from '../../records/agent.js';
import { WorkspacePath } from '../../records/session.js';
import { OWNER, PEOPLE } from '../access-table.js';
import type { Route } from '../route.js';

const inAgent = z.strictObject({ agentId: AgentId });

/** Also those that lie in this directory, which the caller may work in. */
const inWorkspace = z.strictObject({ workspace: WorkspacePath.optional() });

/** Agents: definitions in files, and those made here. */
export const AGENTS_ROUTES = {
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    tag: 'agents',
    summary: 'List agents, those with a broken definition too',
    access: PEOPLE,
    query: inWorkspace,
    answer: z.strictObject({ agents: z.array(Agent) }),
    status: 200,
  },
  getAgent: {
    method: 'GET',
    path: '/v1/agents/:agentId',
    tag: 'agents',
    summary: 'Read an agent',
    access: PEOPLE,
    params: inAgent,
    query: inWorkspace,
    answer: Agent,
    status: 200,
  },
  putAgent: {
    method: 'PUT',
    path: '/v1/agents/:agentId',
    tag: 'agents',
    summary: 'Make or replace an agent (owner); sessions that run keep what they have',
    access: OWNER,
    params: inAgent,
    query: z.strictObject({
      /** Whether one that has this id gives way; refused, it stays, however many ask at once. */
      existing: z.enum(['replace', 'refuse']).default('replace'),
    }),
    body: AgentDefinition,
    bodyLimit: 2 * 1024 * 1024,
    answer: Agent,
    status: 200,
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/v1/agents/:agentId',
    tag: 'agents',
    summary: 'Delete an agent that was made here (owner)',
    access: OWNER,
    params: inAgent,
    status: 204,
  },
  setNickname: {
    method: 'PUT',
    path: '/v1/agents/:agentId/nickname',
    tag: 'agents',
    summary: 'Set, change or clear what an agent is called',
    access: PEOPLE,
    params: inAgent,
    body: PutNickname,
    answer: Agent,
    status: 200,
  },
} as const satisfies Record<string, Route>;
