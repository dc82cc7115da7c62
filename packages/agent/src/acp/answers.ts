import { z } from 'zod';
import { AcpFailure } from './acp-failure.js';

/** The parts of a program's messages that are used; everything else is ignored. */
const flag = z.boolean().optional().catch(undefined);
const support = z.looseObject({}).optional().catch(undefined);

export const Initialized = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: z
    .looseObject({
      loadSession: flag,
      promptCapabilities: z.looseObject({ image: flag }).optional().catch(undefined),
      mcpCapabilities: z.looseObject({ http: flag }).optional().catch(undefined),
      sessionCapabilities: z
        .looseObject({ resume: support, close: support })
        .optional()
        .catch(undefined),
    })
    .optional(),
});
export type AgentCapabilities = NonNullable<z.infer<typeof Initialized>['agentCapabilities']>;

const Value = z.object({ value: z.string() }).transform(({ value }) => [value]);
const Group = z.object({ options: z.array(Value) }).transform(({ options }) => options.flat());
const Values = z.array(z.union([Value, Group])).transform((values) => values.flat());
const ConfigOption = z.looseObject({
  id: z.string(),
  type: z.string().optional(),
  category: z.string().nullish(),
  currentValue: z.unknown(),
  options: Values.optional().catch(undefined),
});

/** The settings of a session, in the answers to creating and to loading one. */
export const SessionSettings = z.looseObject({
  modes: z
    .looseObject({
      currentModeId: z.string(),
      availableModes: z.array(z.looseObject({ id: z.string() })),
    })
    .nullish(),
  configOptions: z.array(ConfigOption).nullish(),
});
export type SessionSettings = z.infer<typeof SessionSettings>;

export const NewSession = SessionSettings.extend({ sessionId: z.string().min(1).max(1_000) });
export const PromptAnswer = z.looseObject({ stopReason: z.string() });
export type PromptAnswer = z.infer<typeof PromptAnswer>;

export const PermissionRequest = z.looseObject({
  sessionId: z.string(),
  toolCall: z.looseObject({ toolCallId: z.string() }),
  options: z.array(
    z.looseObject({
      optionId: z.string(),
      kind: z.string(),
      name: z.string().optional().catch(undefined),
    }),
  ),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;
export type PermissionOption = PermissionRequest['options'][number];

const number = z
  .int()
  .min(0)
  .nullish()
  .transform((value) => value ?? undefined);

export const ReadFileRequest = z.looseObject({
  sessionId: z.string(),
  path: z.string().min(1).max(4_096),
  line: number,
  limit: number,
});
export type ReadFileRequest = z.infer<typeof ReadFileRequest>;

export const WriteFileRequest = z.looseObject({
  sessionId: z.string(),
  path: z.string().min(1).max(4_096),
  content: z.string(),
});
export type WriteFileRequest = z.infer<typeof WriteFileRequest>;

/** Throws AcpFailure if an answer lacks what it must contain. */
export function readAnswer<T>(schema: z.ZodType<T>, method: string, answer: unknown): T {
  // Some programs answer without a result if no field is required.
  const { data, error } = schema.safeParse(answer ?? {});
  if (data !== undefined) return data;
  const problem = error?.issues[0];
  const where = problem === undefined ? '' : ` (${problem.path.join('.')}: ${problem.message})`;
  throw new AcpFailure('acp_protocol_error', `Its answer to ${method} is invalid${where}`);
}
