import { z } from 'zod';
import { DriverConfig } from '../drivers/drivers.js';
import { Environment } from '../drivers/environment.js';
import { AGENT_SOURCES, PERMISSION_MODES } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { ChannelIdentityConfig, ChannelMemoryScopeConfig } from './identity.js';
import { chosenId, EpochMs } from './ids.js';

/** The id of an agent: the file name of its definition, or chosen by its creator. */
export const AgentId = chosenId(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, 'an agent');

/** What runs without an approval: only reading, reading, also edits, everything. */
export const PermissionMode = z.enum(PERMISSION_MODES);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** `Tool` or `Tool(pattern)`; the documentation of a tool defines its patterns. */
export const PermissionRule = z.string().min(1).max(LIMITS.ruleChars);
const ruleList = z.array(PermissionRule).max(LIMITS.rules).optional();
/** Deny beats ask beats allow; if none matches, the mode decides. No rule allows what `plan` denies. */
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

/** Which tools are available; without `only`, every tool that is not in `without`. */
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

/** An agent in a list. One with a broken definition is listed with its problem, and cannot be used. */
export const Agent = z.strictObject({
  agentId: AgentId,
  source: AgentSource,
  path: z.string().optional(),
  nickname: Nickname.optional(),
  /** The name that people see: nickname, display name or id. */
  name: z.string(),
  status: z.enum(['ready', 'broken']),
  problem: z.string().optional(),
  /** What a valid definition still needs to work here, such as a model; without it its runs fail. */
  lacks: z.string().optional(),
  definition: AgentDefinition.optional(),
  updatedAt: EpochMs.optional(),
});
export type Agent = z.infer<typeof Agent>;

/** `null` clears it. */
export const PutNickname = z.strictObject({ nickname: Nickname.nullable() });
export type PutNickname = z.infer<typeof PutNickname>;
