import { z } from 'zod';
import { TOOL_KINDS, TOOL_OUTCOMES } from '../enumerations.js';

/**
 * What a model wrote and did in one step, as in the journal. `provider` holds data that a provider expects back
 * unchanged with the next request (signatures of its reasoning); it is not shown.
 */
export const AssistantPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), provider: z.json().optional() }),
  z.strictObject({ type: z.literal('reasoning'), text: z.string(), provider: z.json().optional() }),
  z.strictObject({
    type: z.literal('tool_call'),
    callId: z.string(),
    tool: z.string(),
    /** As the model wrote it; arguments that are not JSON are kept as text. */
    input: z.json(),
    provider: z.json().optional(),
  }),
]);
export type AssistantPart = z.infer<typeof AssistantPart>;

/** How a tool call ended. `unknown`: it was started, and the daemon ended before its result was stored. */
export const ToolOutcome = z.enum(TOOL_OUTCOMES);
export type ToolOutcome = z.infer<typeof ToolOutcome>;

/** The category of a tool, for lists and for people who review it. */
export const ToolKind = z.enum(TOOL_KINDS);
export type ToolKind = z.infer<typeof ToolKind>;
