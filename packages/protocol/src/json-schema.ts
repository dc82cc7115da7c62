import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** The JSON Schema of what a caller may send (defaults not yet filled in). */
export function inputJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
}

/** The JSON Schema of what Stoa answers. */
export function outputJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12', unrepresentable: 'any' });
}
