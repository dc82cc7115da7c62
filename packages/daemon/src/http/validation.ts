import { type Issue, inputJsonSchema, StoaError } from '@stoa/protocol';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { z } from 'zod';

/** Compiled from the same schemas as the types: validating with zod on every request costs more. */
const bodies = new Ajv({ strict: false, strictNumbers: true, useDefaults: true, allErrors: false });
const texts = new Ajv({
  strict: false,
  strictNumbers: true,
  useDefaults: true,
  allErrors: false,
  coerceTypes: true,
});

export type Part = 'body' | 'query' | 'params';

/** A check that fills in defaults and throws `invalid_request` with where and what. */
export function compileCheck(schema: z.ZodType, part: Part): (value: unknown) => void {
  const ajv = part === 'body' ? bodies : texts;
  let compiled: ValidateFunction | undefined;
  return (value) => {
    // All of them would be a good part of the time a start takes; most runs use only a few.
    const validate = (compiled ??= ajv.compile(inputJsonSchema(schema)));
    if (validate(value)) return;
    const issues = (validate.errors ?? []).map((error) => toIssue(error, part));
    const first = issues[0];
    throw new StoaError(
      'invalid_request',
      first ? `${first.path} ${first.message}` : 'invalid',
      issues,
    );
  };
}

function toIssue(error: ErrorObject, part: Part): Issue {
  const path = `${part}${error.instancePath.replaceAll('/', '.')}`;
  const { params } = error as { params: Record<string, unknown> };
  if (error.keyword === 'additionalProperties') {
    return { path, message: `has an unknown field ${String(params.additionalProperty)}` };
  }
  if (error.keyword === 'enum') {
    return {
      path,
      message: `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}`,
    };
  }
  return { path, message: error.message ?? 'is not valid' };
}
