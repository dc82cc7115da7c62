import { randomBytes } from 'node:crypto';
import type { McpServer } from '@agentclientprotocol/sdk';
import type { RunContext } from '@stoa/core';
import type { McpServerConfig } from '@stoa/protocol';
import { expandForAgent } from './agent-program.js';

/** The name of Stoa's own MCP server in rules; each session knows it under another name. */
export const OWN_SERVER = 'stoa';

/** Stoa's own MCP server, as one session of an agent program knows it. */
export interface OwnServer {
  /** Random, so that no text from before the session can contain it. */
  readonly name: string;
  /** The tools that `/mcp` offers to this session. */
  readonly tools: ReadonlySet<string>;
}

/** Letters and digits only: programs join the names of server and tool with other characters. */
export const newServerName = (): string => `${OWN_SERVER}${randomBytes(8).toString('hex')}`;

/** The access of a session to Stoa's own MCP server. */
export interface McpAccess {
  readonly url: string;
  readonly token: string;
  readonly tools: ReadonlySet<string>;
  revoke(): void;
}

export type McpFor = (run: Pick<RunContext, 'session' | 'tokens'>) => McpAccess | undefined;

/** The MCP servers that a program gets for a session, and the names of those that it cannot use. Throws `invalid_agent`. */
export function sessionServers(
  access: McpAccess | undefined,
  ownName: string,
  configured: Readonly<Record<string, McpServerConfig>>,
  supportsHttp: boolean,
  environment: Readonly<NodeJS.ProcessEnv>,
): { readonly servers: McpServer[]; readonly unusable: readonly string[] } {
  const servers: McpServer[] = [];
  const unusable: string[] = [];
  const add = (server: McpServer): void => {
    if ('type' in server && !supportsHttp) unusable.push(server.name);
    else servers.push(server);
  };
  if (access) {
    const headers = [{ name: 'Authorization', value: `Bearer ${access.token}` }];
    add({ type: 'http', name: ownName, url: access.url, headers });
  }
  for (const [name, config] of Object.entries(configured)) {
    const expand = (field: string, values: Readonly<Record<string, string>> = {}) => {
      const expanded = expandForAgent(values, `mcpServers.${name}.${field}`, environment);
      return Object.entries(expanded).map(([key, value]) => ({ name: key, value }));
    };
    // In rules this name refers to Stoa's own server.
    if (name === OWN_SERVER) unusable.push(name);
    else if ('url' in config) {
      const { url, headers } = config;
      add({ type: 'http', name, url, headers: expand('headers', headers) });
    } else {
      const { command, args = [], env } = config;
      add({ name, command, args, env: expand('env', env) });
    }
  }
  return { servers, unusable };
}
