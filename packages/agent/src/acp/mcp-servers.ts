import type { McpServer } from '@agentclientprotocol/sdk';
import type { RunContext } from '@stoa/core';
import type { McpServerConfig } from '@stoa/protocol';
import { namedValues } from './named-values.js';
import { OWN_SERVER } from './own-server.js';

/** How a session reaches the daemon's own tools. */
export interface McpAccess {
  readonly url: string;
  readonly token: string;
  /** Those that are offered to this session. */
  readonly tools: ReadonlySet<string>;
  revoke(): void;
}

export type McpFor = (run: Pick<RunContext, 'session' | 'tokens'>) => McpAccess | undefined;

export interface OfferedServers {
  readonly servers: McpServer[];
  /** Those that this program cannot use. */
  readonly left: readonly string[];
}

/**
 * The MCP servers of a session, as an agent program is told of them; Stoa's own by the name that this
 * session knows it by. Throws `invalid_agent`.
 */
export function mcpServers(
  access: McpAccess | undefined,
  ownName: string,
  configured: Readonly<Record<string, McpServerConfig>>,
  takesHttp: boolean,
  environment: Readonly<NodeJS.ProcessEnv>,
): OfferedServers {
  const servers: McpServer[] = [];
  const left: string[] = [];
  const offer = (server: McpServer): void => {
    if ('type' in server && !takesHttp) left.push(server.name);
    else servers.push(server);
  };
  if (access) {
    const headers = [{ name: 'Authorization', value: `Bearer ${access.token}` }];
    offer({ type: 'http', name: ownName, url: access.url, headers });
  }
  for (const [name, config] of Object.entries(configured)) {
    const valuesOf = (what: string, written: Readonly<Record<string, string>> = {}) => {
      const values = namedValues(written, `mcpServers.${name}.${what}`, environment);
      return Object.entries(values).map(([key, value]) => ({ name: key, value }));
    };
    // Under this name rules speak of the daemon's own tools.
    if (name === OWN_SERVER) left.push(name);
    else if ('url' in config) {
      const { url, headers } = config;
      offer({ type: 'http', name, url, headers: valuesOf('headers', headers) });
    } else {
      const { command, args = [], env } = config;
      offer({ name, command, args, env: valuesOf('env', env) });
    }
  }
  return { servers, left };
}
