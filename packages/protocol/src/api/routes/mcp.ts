import { z } from 'zod';
import { McpServerHealth } from '../../records/mcp-server.js';
import { PEOPLE, PEOPLE_AND_SESSIONS } from '../access-table.js';
import type { Route } from '../route.js';

/** The Model Context Protocol: Stoa as a server of tools, and the servers its agents use. */
export const MCP_ROUTES = {
  mcp: {
    method: 'POST',
    path: '/mcp',
    tag: 'mcp',
    summary: 'A JSON-RPC message of the Model Context Protocol (streamable HTTP)',
    access: PEOPLE_AND_SESSIONS,
    bodyLimit: 1024 * 1024,
    status: 200,
    carries: 'stream',
  },
  mcpStream: {
    method: 'GET',
    path: '/mcp',
    tag: 'mcp',
    summary: 'Always 405, which tells MCP clients that nothing is sent outside of a call',
    access: PEOPLE_AND_SESSIONS,
    status: 405,
    carries: 'stream',
  },
  listMcpServers: {
    method: 'GET',
    path: '/v1/mcp-servers',
    tag: 'mcp',
    summary: 'The MCP servers of agents, and how they are',
    access: PEOPLE,
    answer: z.strictObject({ servers: z.array(McpServerHealth) }),
    status: 200,
  },
} as const satisfies Record<string, Route>;
