import { PEOPLE, PEOPLE_AND_SESSIONS } from '../access-table.js';
import { tagged } from '../route.js';

/** The Model Context Protocol: Stoa as a server of tools, and the servers its agents use. */
export const MCP_ROUTES = tagged('mcp', {
  mcp: {
    method: 'POST',
    path: '/mcp',
    summary: 'A JSON-RPC message of the Model Context Protocol (streamable HTTP)',
    access: PEOPLE_AND_SESSIONS,
    bodyLimit: 1024 * 1024,
    carries: 'stream',
  },
  mcpStream: {
    method: 'GET',
    path: '/mcp',
    summary: 'Always 405: tells MCP clients that nothing is sent outside calls',
    access: PEOPLE_AND_SESSIONS,
    status: 405,
    carries: 'stream',
  },
  listMcpServers: {
    method: 'GET',
    path: '/v1/mcp-servers',
    summary: 'List the MCP servers of agents and their states',
    access: PEOPLE,
    answer: 'ListMcpServersAnswer',
    client: 'agents.mcpServers',
    unwrap: 'servers',
  },
});
