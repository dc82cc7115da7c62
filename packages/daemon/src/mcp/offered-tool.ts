import { type JsonSchema, StoaError } from '@stoa/protocol';
import { z } from 'zod';

/** The result of a call: text for a model, and the same as data for programs. */
export interface ToolAnswer {
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/**
 * Calls `sent` when the whole answer was handed to the caller's connection; never if that was closed before.
 * Calls `lost` afterwards if the caller then reports that it gave up on the request: the answer did not reach it.
 */
export type WhenSent = (sent: () => void, lost: () => void) => void;

/** A tool for one caller, who is known when the tool is created. */
export interface OfferedTool<I = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** It changes nothing. */
  readonly isReading: boolean;
  /** The signal aborts when nobody waits for the answer any more; `whenSent` reports whether the answer arrived. */
  call(input: I, signal: AbortSignal, whenSent: WhenSent): Promise<ToolAnswer>;
}

/** Infers the input type from the schema; a tool is called only with valid input. */
export function offer<I>(tool: OfferedTool<I>): OfferedTool {
  return tool;
}

/** Generated once: the schemas of tools do not depend on the caller. */
const schemas = new WeakMap<z.ZodType, JsonSchema>();

export function schemaOf({ input }: OfferedTool): JsonSchema {
  const known = schemas.get(input);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  schemas.set(input, schema);
  return schema;
}

export function readInput<I>({ name, input }: OfferedTool<I>, given: unknown): I {
  const parsed = input.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: ['arguments', ...path.map(String)].join('.'),
    message,
  }));
  const problems = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new StoaError(
    'invalid_request',
    `The arguments of ${name} do not fit: ${problems}`,
    issues,
  );
}
