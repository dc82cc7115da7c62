import { z } from 'zod';
import { DriverConfig } from '../drivers/drivers.js';
import { Environment } from '../drivers/environment.js';
import { AGENT_SOURCES, PERMISSION_MODES } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { ChannelIdentityConfig, ChannelMemoryScopeConfig } from './identity.js';
import { chosenId, EpochMs } from './ids.js';

/** The name an agent is called by: the file name of its definition, or chosen by who made it. */
export const AgentId = chosenId(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, 'an agent');

/** What runs without being asked: nothing but reading, reading, edits too, everything. */
export const PermissionMode = z.enum(PERMISSION_MODES);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** `Tool` or `Tool(pattern)`; what a pattern means is said where the tool is documented. */
export const PermissionRule = z.string().min(1).max(LIMITS.ruleChars);
const ruleList = z.array(PermissionRule).max(LIMITS.rules).optional();
/** Deny beats ask beats allow; where none matches, the mode decides. What `plan` denies, no rule allows. */
export const PermissionRules = z.strictObject({ deny: ruleList, ask: ruleList, allow: ruleList });
export type PermissionRules = z.infer<typeof PermissionRules>;

export const McpServerConfig = z.union([
  z.strictObject({
    command: z.string().min(1).max(4_096),
    args: z.array(z.string().max(4_096)).max(100).optional(),
    env: Environment.optional(),
  }),
  z.strictObject({
    url: z
      .string()
      .max(4_096)
      .regex(/^https?:\/\/[^\s/]+/),
    headers: z.record(z.string(), z.string().max(4_096)).optional(),
  }),
]);
export type McpServerConfig = z.infer<typeof McpServerConfig>;
export const McpServerName = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/);

/** Which tools are offered at all; without `only`, every tool that is not in `without`. */
export const ToolSelection = z.strictObject({
  only: z.array(z.string().max(LIMITS.titleChars)).max(LIMITS.rules).optional(),
  without: z.array(z.string().max(LIMITS.titleChars)).max(LIMITS.rules).optional(),
});

/** A definition: persona, instructions, driver, model, tool policy. */
export const AgentDefinition = z.strictObject({
  displayName: z.string().min(1).max(LIMITS.displayNameChars).optional(),
  description: z.string().max(LIMITS.descriptionChars).optional(),
  driver: DriverConfig,
  mode: PermissionMode.default('ask'),
  tools: ToolSelection.optional(),
  permissions: PermissionRules.optional(),
  mcpServers: z.record(McpServerName, McpServerConfig).optional(),
  identity: ChannelIdentityConfig.optional(),
  memoryScope: ChannelMemoryScopeConfig.optional(),
  instructions: z.string().max(LIMITS.instructionsChars).default(''),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

export const AgentSource = z.enum(AGENT_SOURCES);
export type AgentSource = z.infer<typeof AgentSource>;

export const Nickname = z.string().max(LIMITS.displayNameChars).regex(/\S/);

/** An agent as it is listed. One whose definition is broken is named with its problem, and cannot be used. */
export const Agent = z.strictObject({
  agentId: AgentId,
  source: AgentSource,
  path: z.string().optional(),
  nickname: Nickname.optional(),
  /** What it is called where people see it: nickname, display name or id. */
  name: z.string(),
  status: z.enum(['ready', 'broken']),
  problem: z.string().optional(),
  /** What is missing here for it to work, such as a model, though its definition is sound; its runs fail of it. */
  lacks: z.string().optional(),
  definition: AgentDefinition.optional(),
  updatedAt: EpochMs.optional(),
});
export type Agent = z.infer<typeof Agent>;

/** `null` clears it. */
export const PutNickname = z.strictObject({ nickname: Nickname.nullable() });
export type PutNickname = z.infer<typeof PutNickname>;
