import { type ErrorCode, type Issue, inputJsonSchema, StoaError } from '@stoa/protocol';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import type { z } from 'zod';
import { memberMeant } from './tagged-union.js';

/** Compiled from the same schemas as the types: validating with zod on every request costs more. */
const OPTIONS: Options = {
  strict: false,
  strictNumbers: true,
  useDefaults: true,
  allErrors: false,
  verbose: true,
  // They are made from ours and never anybody's own: a daemon need not judge them before its first answer.
  meta: false,
  validateSchema: false,
  // Takes a third of the time of compiling, which the first request of a route waits for.
  code: { optimize: false },
};
const bodies = new Ajv(OPTIONS);
const texts = new Ajv({ ...OPTIONS, coerceTypes: true });

export type Part = 'body' | 'query' | 'params';

/** A check that fills in defaults and throws `invalid_request`, or the code of a union, with where and what. */
export function compileCheck(schema: z.ZodType, part: Part): (value: unknown) => void {
  const ajv = part === 'body' ? bodies : texts;
  let compiled: ValidateFunction | undefined;
  return (value) => {
    // All of them would be a good part of the time a start takes; most runs use only a few.
    const validate = (compiled ??= ajv.compile(inputJsonSchema(schema)));
    if (validate(value)) return;
    throw refusal(validate.errors ?? [], part);
  };
}

function refusal(errors: readonly ErrorObject[], part: Part): StoaError {
  const union = errors.find(({ keyword }) => keyword === 'oneOf');
  const meant = union && memberMeant(union);
  if (meant && 'tag' in meant) {
    const path = `${pathOf(union, part)}.${meant.tag}`;
    const message = `must be one of ${meant.names.join(', ')}`;
    return refuse([{ path, message }], meant.code);
  }
  const own = meant && errors.filter(({ schemaPath }) => schemaPath.startsWith(meant.schemaPath));
  return refuse((own?.length ? own : errors).map((error) => toIssue(error, part)));
}

function refuse(issues: readonly Issue[], code: ErrorCode = 'invalid_request'): StoaError {
  const [first] = issues;
  return new StoaError(code, first ? `${first.path} ${first.message}` : 'invalid', issues);
}

const pathOf = ({ instancePath }: ErrorObject, part: Part): string =>
  `${part}${instancePath.replaceAll('/', '.')}`;

function toIssue(error: ErrorObject, part: Part): Issue {
  const path = pathOf(error, part);
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
