import { z } from 'zod';
import { MCP_SERVER_STATES } from '../enumerations.js';
import { AgentId, McpServerName } from './agent.js';

/**
 *   idle ──a run uses it──▶ connecting ──▶ online ──unused for a while──▶ idle
 *                               └──failed──▶ offline ◀──gone──┘
 *                                    └──after a pause, while it is used──▶ connecting
 */
export const McpServerState = z.enum(MCP_SERVER_STATES);
export type McpServerState = z.infer<typeof McpServerState>;

/** An MCP server of an agent, and its state. */
export const McpServerHealth = z.strictObject({
  agentId: AgentId,
  name: McpServerName,
  state: McpServerState,
  /** Why it is offline. */
  reason: z.string().optional(),
  /** Its tools, by its own names, if it has listed them. */
  tools: z.array(z.string()),
});
export type McpServerHealth = z.infer<typeof McpServerHealth>;
