import { matchesWildcard, type Wildcard, wildcardOf } from './wildcard.js';

/** The pattern of `Mcp(…)`: `server:tool`, `server:*`, or a server alone for all its tools. */
export interface McpPattern {
  readonly server: Wildcard;
  readonly tool: Wildcard;
}

export function parseMcpPattern(text: string): McpPattern | { readonly problem: string } {
  const [, server, tool] = /^([\w*-]+)(?::(\S+))?$/.exec(text) ?? [];
  if (server === undefined) return { problem: 'the pattern has to be server:tool' };
  return { server: wildcardOf(server), tool: wildcardOf(tool ?? '*') };
}

export function matchesMcp(
  pattern: McpPattern,
  { server, tool }: { readonly server: string; readonly tool: string },
): boolean {
  return matchesWildcard(pattern.server, server) && matchesWildcard(pattern.tool, tool);
}
