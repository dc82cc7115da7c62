import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** The JSON Schema for the validation of requests: what a caller may send, before defaults are applied. */
export function inputJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
}

/** The schema of one parameter in OpenAPI, without references. */
export function parameterJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
  return rest;
}
