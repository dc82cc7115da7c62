import { z } from 'zod';

/** The parts of `session/update` that are used. Invalid or unknown parts are ignored, because newer programs send more. */
const Text = z.object({ type: z.literal('text'), text: z.string() });
const Content = z.union([
  z.object({
    type: z.literal('content'),
    content: z.union([Text, z.looseObject({ type: z.string() })]),
  }),
  z.object({
    type: z.literal('diff'),
    path: z.string(),
    oldText: z.string().nullish(),
    newText: z.string(),
  }),
  z.looseObject({ type: z.string() }),
]);
const Location = z.looseObject({ path: z.string() });
const ToolMeta = z.looseObject({
  toolName: z.string().optional(),
  claudeCode: z.looseObject({ toolName: z.string().optional() }).optional(),
});

export const ToolCallReport = z.object({
  toolCallId: z.string().min(1).max(1_000),
  title: z.string().nullish().catch(undefined),
  name: z.string().nullish().catch(undefined),
  kind: z.string().nullish().catch(undefined),
  status: z.enum(['pending', 'in_progress', 'completed', 'failed']).nullish().catch(undefined),
  content: z.array(Content).nullish().catch(undefined),
  locations: z.array(Location).nullish().catch(undefined),
  rawInput: z.json().optional().catch(undefined),
  rawOutput: z.json().optional().catch(undefined),
  _meta: ToolMeta.nullish().catch(undefined),
});
export type ToolCallReport = z.infer<typeof ToolCallReport>;

const count = z.number().int().min(0).catch(0);
const UsageReport = z.object({
  inputTokens: count,
  outputTokens: count,
  totalTokens: count,
  cachedReadTokens: count,
});
export type UsageReport = z.infer<typeof UsageReport>;

const WithUsage = z.looseObject({
  usage: UsageReport.optional().catch(undefined),
  _meta: z
    .looseObject({ usage: UsageReport.optional().catch(undefined) })
    .nullish()
    .catch(undefined),
});

export type SessionUpdate =
  | { readonly type: 'text'; readonly text: string; readonly usage: UsageReport | undefined }
  /** A repeated input. */
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'tool'; readonly report: ToolCallReport }
  /** Its model is unreachable or answers with an error. */
  | { readonly type: 'model_failure'; readonly isRetried: boolean; readonly message: string }
  | { readonly type: 'mode'; readonly modeId: string }
  | { readonly type: 'commands'; readonly names: readonly string[] }
  /** Any other sign of work: thoughts, plans, unknown updates. */
  | { readonly type: 'activity' }
  /** About the session, not about the prompt. */
  | { readonly type: 'other' };

const Chunk = z.looseObject({ content: z.union([Text, z.looseObject({ type: z.string() })]) });
const Mode = z.looseObject({ currentModeId: z.string() });
const Commands = z.looseObject({ availableCommands: z.array(z.looseObject({ name: z.string() })) });

/** Updates about the session, which also arrive between prompts. */
const ABOUT_SESSION: ReadonlySet<unknown> = new Set([
  'config_option_update',
  'usage_update',
  'notice',
]);

export function readUpdate(raw: unknown): SessionUpdate {
  const kind = (raw as { readonly sessionUpdate?: unknown } | null | undefined)?.sessionUpdate;
  switch (kind) {
    case 'agent_message_chunk':
      return { type: 'text', text: chunkText(raw), usage: readUsage(raw) };
    case 'user_message_chunk':
      return { type: 'user', text: chunkText(raw) };
    case 'session_info_update':
      return readModelFailure(raw) ?? { type: 'other' };
    case 'tool_call':
    case 'tool_call_update': {
      const { data } = ToolCallReport.safeParse(raw);
      return data ? { type: 'tool', report: data } : { type: 'activity' };
    }
    case 'current_mode_update': {
      const { data } = Mode.safeParse(raw);
      return data ? { type: 'mode', modeId: data.currentModeId } : { type: 'other' };
    }
    case 'available_commands_update': {
      const { data } = Commands.safeParse(raw);
      const names = data?.availableCommands.map(({ name }) => name) ?? [];
      return { type: 'commands', names };
    }
    default:
      return { type: ABOUT_SESSION.has(kind) ? 'other' : 'activity' };
  }
}

function chunkText(raw: unknown): string {
  const content = Chunk.safeParse(raw).data?.content;
  return content && isText(content) ? content.text : '';
}

const ModelFailure = z.looseObject({
  _meta: z.looseObject({
    codex: z.looseObject({
      threadStatus: z.looseObject({ type: z.string() }).optional().catch(undefined),
      error: z
        .looseObject({ message: z.string().catch(''), willRetry: z.boolean().catch(false) })
        .optional()
        .catch(undefined),
    }),
  }),
});

function readModelFailure(raw: unknown): SessionUpdate | undefined {
  const { threadStatus, error } = ModelFailure.safeParse(raw).data?._meta.codex ?? {};
  if (error) return { type: 'model_failure', isRetried: error.willRetry, message: error.message };
  if (threadStatus?.type !== 'systemError') return undefined;
  return { type: 'model_failure', isRetried: false, message: '' };
}

/** The usage in an update or in the answer to a prompt. */
export function readUsage(raw: unknown): UsageReport | undefined {
  const { data } = WithUsage.safeParse(raw);
  return data?.usage ?? data?._meta?.usage;
}

export function isText(content: {
  readonly type: string;
}): content is { readonly type: 'text'; readonly text: string } {
  return content.type === 'text' && typeof (content as { text?: unknown }).text === 'string';
}

export function isDiff(content: { readonly type: string }): content is {
  readonly type: 'diff';
  readonly path: string;
  readonly oldText?: string | null;
  readonly newText: string;
} {
  const { path, newText } = content as { path?: unknown; newText?: unknown };
  return content.type === 'diff' && typeof path === 'string' && typeof newText === 'string';
}
