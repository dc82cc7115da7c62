import type { Agent, McpServerHealth } from '@stoa/protocol';

/** Every server that an agent names, with how it is where it was used; the others are idle. */
export function mcpHealth(
  agents: readonly Agent[],
  used: readonly McpServerHealth[],
): McpServerHealth[] {
  const servers = new Map(used.map((server) => [keyOf(server), server]));
  for (const { agentId, definition } of agents) {
    for (const name of Object.keys(definition?.mcpServers ?? {})) {
      const idle: McpServerHealth = { agentId, name, state: 'idle', tools: [] };
      if (!servers.has(keyOf(idle))) servers.set(keyOf(idle), idle);
    }
  }
  return [...servers.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ agentId, name }: McpServerHealth): string => `${agentId} ${name}`;
