import { type ErrorCode, type Issue, inputJsonSchema, StoaError } from '@stoa/protocol';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import type { z } from 'zod';

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
    return refuse([{ path, message }], `${placeOf(path)} ${message}`, meant.code);
  }
  const own = meant && errors.filter(({ schemaPath }) => schemaPath.startsWith(meant.schemaPath));
  const faults = withoutForms(own?.length ? own : errors);
  const [first] = faults;
  const issues = faults.map((error) => ({ path: pathOf(error, part), message: wordsOf(error) }));
  return refuse(issues, first ? detailOf(first, part) : 'invalid');
}

function refuse(
  issues: readonly Issue[],
  detail: string,
  code: ErrorCode = 'invalid_request',
): StoaError {
  return new StoaError(code, detail, issues);
}

/** What may have one of several forms, such as none, fails with each of them; only what was tried is of use. */
function withoutForms(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const forms = errors.filter(({ keyword }) => keyword === 'anyOf');
  const places = new Set(forms.map(({ instancePath }) => instancePath));
  const useful = errors.filter(
    ({ keyword, instancePath, schema }) =>
      keyword !== 'anyOf' && !(schema === 'null' && places.has(instancePath)),
  );
  return useful.length > 0 ? useful : errors;
}

const pathOf = ({ instancePath }: ErrorObject, part: Part): string =>
  `${part}${instancePath.replaceAll('/', '.')}`;

/** For people, who need not know which part of a request carries it. */
const placeOf = (path: string): string => path.replace(/^(?:body|query|params)\./, '');

function detailOf(error: ErrorObject, part: Part): string {
  const what =
    idMeant(error) === undefined ? placeOf(pathOf(error, part)) : shortened(String(error.data));
  return `${what} ${wordsOf(error)}`;
}

const SHOWN_CHARS = 60;

function shortened(value: string): string {
  if (value === '') return 'An empty text';
  return value.length <= SHOWN_CHARS ? value : `${value.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}

/** What the id that has another form should be one of. */
function idMeant({ keyword, parentSchema }: ErrorObject): string | undefined {
  const description: unknown = (parentSchema as Record<string, unknown> | undefined)?.description;
  return keyword === 'pattern' && typeof description === 'string' ? description : undefined;
}

function wordsOf(error: ErrorObject): string {
  const { params } = error as { params: Record<string, unknown> };
  const id = idMeant(error);
  if (id !== undefined) return `is not ${id}`;
  switch (error.keyword) {
    case 'additionalProperties':
      return `has an unknown field ${String(params.additionalProperty)}`;
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}`;
    case 'pattern':
      return params.pattern === '\\S' ? EMPTY : (error.message ?? '');
    case 'minLength':
    case 'minItems':
      return params.limit === 1 ? EMPTY : (error.message ?? '');
    default:
      return error.message ?? 'is not valid';
  }
}

const EMPTY = 'must not be empty';

interface Member {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
}

type Meant =
  /** Nothing of this name: what there is. */
  | { readonly tag: string; readonly names: readonly string[]; readonly code?: ErrorCode }
  | { readonly schemaPath: string };

/**
 * Which member of a union was meant, where a field of each names it. A union fails with what is wrong
 * with every member of it, of which only those of one are of use.
 */
function memberMeant({ schema, parentSchema, schemaPath, data }: ErrorObject): Meant | undefined {
  const members = schema as readonly Member[];
  const tag = Object.keys(members[0]?.properties ?? {}).find((name) =>
    members.every(({ properties }) => properties?.[name]?.const !== undefined),
  );
  if (tag === undefined || typeof data !== 'object' || data === null) return undefined;
  const names = members.map(({ properties }) => properties?.[tag]?.const);
  const index = names.indexOf((data as Record<string, unknown>)[tag]);
  if (index !== -1) return { schemaPath: `${schemaPath}/${String(index)}/` };
  const code = (parentSchema as { 'x-unknown-code'?: ErrorCode } | undefined)?.['x-unknown-code'];
  return { tag, names: names.map(String), ...(code && { code }) };
}
