import { AgentId, Durability, MODELS_CONFIG, PermissionRules } from '@stoa/protocol';
import { z } from 'zod';

const hours = z
  .number()
  .positive()
  .max(24 * 366);

/** Absolute or below the home directory, and not the whole of it. */
const WRITABLE_PATH = /^~?(?:\/(?!\.{0,2}(?:\/|$))[^/\0]+)+\/?$/;

/** `stoa.yaml`. Strict: an unknown field or a wrong value stops the start. */
export const ConfigFile = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  port: z.int().min(0).max(65_535).default(7117).describe('Port to listen on; 0 takes a free one'),
  allowedHosts: z
    .array(z.string().min(1))
    .max(20)
    .default([])
    .describe(
      'Names besides the own address that the Host header may carry, with port if it is not 80',
    ),
  durability: Durability.default('full').describe(
    'full: acknowledged means on disk. relaxed: a power cut may lose the last moments',
  ),
  store: z
    .discriminatedUnion('engine', [
      z.strictObject({ engine: z.literal('sqlite') }),
      z.strictObject({
        engine: z.literal('postgres'),
        url: z
          .string()
          .regex(/^postgres(?:ql)?:\/\//)
          .describe('postgres://user:password@host/database'),
      }),
    ])
    .default({ engine: 'sqlite' }),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
      format: z.enum(['auto', 'human', 'json']).default('auto'),
    })
    .prefault({}),
  streams: z
    .strictObject({
      limit: z.int().min(1).max(100_000).default(2_000).describe('Live streams open at once'),
    })
    .prefault({}),
  lobby: z
    .enum(['auto', 'off'])
    .default('auto')
    .describe(
      'auto: a first start, with nothing stored yet, opens a lobby with scripted residents',
    ),
  sharedAgents: z
    .array(z.union([z.literal('*'), AgentId]))
    .max(1_000)
    .default([])
    .describe(
      'Agents that other people may have sessions of: they use the keys of the owner. Scripts without MCP servers need no entry',
    ),
  workspaces: z
    .array(
      z.strictObject({
        path: z.string().regex(/^\//).describe('An absolute path; what is below it counts too'),
        shared: z
          .boolean()
          .default(false)
          .describe('People other than the owner may have sessions there'),
        trusted: z
          .boolean()
          .default(false)
          .describe('Agents defined there may bring programs, MCP servers and allow rules'),
        approve: z
          .enum(['owner', 'self'])
          .default('owner')
          .describe(
            'Who answers when a session of another person wants to run a program there or reach outside: ' +
              'the owner, or that person, which gives them a shell as the user of the daemon',
          ),
      }),
    )
    .max(1_000)
    .default([]),
  ...MODELS_CONFIG,
  shell: z
    .strictObject({
      passVariables: z
        .array(z.string().regex(/^[A-Za-z_]\w*$/))
        .max(100)
        .default([])
        .describe('Variables of the daemon that commands of agents get besides the usual ones'),
    })
    .prefault({}),
  sandbox: z
    .strictObject({
      writable: z
        .array(
          z.string().max(4_096).regex(WRITABLE_PATH, {
            error: 'an absolute path, or one that begins with ~/, without . and .. and not / or ~',
          }),
        )
        .max(100)
        .default([])
        .describe(
          'Files and directories that programs of agents may write besides their workspace and the usual caches; ~/ is the home directory of the user',
        ),
    })
    .prefault({}),
  webFetch: z
    .strictObject({
      enabled: z.boolean().default(false).describe('Agents may read public web pages'),
    })
    .prefault({}),
  memory: z
    .strictObject({
      maxPromptChars: z
        .int()
        .min(0)
        .max(100_000)
        .default(12_000)
        .describe('How much of a memory a prompt contains, in characters'),
      extraction: z
        .strictObject({
          enabled: z
            .boolean()
            .default(false)
            .describe('After a run its model is asked once what of it is worth remembering'),
        })
        .prefault({}),
      dream: z
        .strictObject({
          enabled: z
            .boolean()
            .default(false)
            .describe('Memories are put in order now and then, by a background task'),
          afterHours: hours.default(24).describe('Not sooner than this after the last one'),
          afterSessions: z
            .int()
            .min(1)
            .max(1_000)
            .default(5)
            .describe('Not before this many other sessions worked there since the last one'),
        })
        .prefault({}),
      model: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('provider/model for both; else that of the agent, and for dreams the default'),
    })
    .prefault({}),
  permissions: PermissionRules.default({}).describe('Rules for every session'),
  approvals: z
    .strictObject({
      expireHours: hours.default(24).describe('How long a question waits for an answer'),
    })
    .prefault({}),
  retention: z
    .strictObject({
      idempotencyKeyHours: hours.default(168),
      revokedCredentialHours: hours.default(720),
      unusedAssetHours: hours.default(24),
      taskFileHours: hours
        .default(168)
        .describe('How long files of background tasks stay after the end of their session'),
      humanTopicEvents: z.int().min(1).default(10_000),
      sweepSeconds: z.number().min(0.05).max(86_400).default(600),
    })
    .prefault({}),
});
export type Config = z.infer<typeof ConfigFile>;

export function configJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(ConfigFile, { io: 'input' });
}
