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
  // The schemas are generated from ours, so a daemon need not validate them before its first answer.
  meta: false,
  validateSchema: false,
  // Takes a third of the compile time, which the first request of a route waits for.
  code: { optimize: false },
};
const bodies = new Ajv(OPTIONS);
const texts = new Ajv({ ...OPTIONS, coerceTypes: true });

export type Part = 'body' | 'query' | 'params';

/**
 * A check that applies defaults and throws `invalid_request`, or the code of a union, with the path and the problem.
 */
export function compileCheck(schema: z.ZodType, part: Part): (value: unknown) => void {
  const ajv = part === 'body' ? bodies : texts;
  let compiled: ValidateFunction | undefined;
  return (value) => {
    // Compiling all of them would be a large part of a start; most runs use only a few.
    const validate = (compiled ??= ajv.compile(inputJsonSchema(schema)));
    if (validate(value)) return;
    throw refusal(validate.errors ?? [], part);
  };
}

function refusal(errors: readonly ErrorObject[], part: Part): StoaError {
  const union = errors.find(({ keyword }) => keyword === 'oneOf');
  const member = union && namedMember(union);
  if (member && 'tag' in member) {
    const path = `${pathOf(union, part)}.${member.tag}`;
    const message = `must be one of ${member.names.join(', ')}`;
    return refuse([{ path, message }], `${fieldOf(path)} ${message}`, member.code);
  }
  const own = member && errors.filter(({ schemaPath }) => schemaPath.startsWith(member.schemaPath));
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

/** A value with several allowed forms, such as null, fails with each of them; only the attempted form is useful. */
function withoutForms(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const forms = errors.filter(({ keyword }) => keyword === 'anyOf');
  const paths = new Set(forms.map(({ instancePath }) => instancePath));
  const useful = errors.filter(
    ({ keyword, instancePath, schema }) =>
      keyword !== 'anyOf' && !(schema === 'null' && paths.has(instancePath)),
  );
  return useful.length > 0 ? useful : errors;
}

const pathOf = ({ instancePath }: ErrorObject, part: Part): string =>
  `${part}${instancePath.replaceAll('/', '.')}`;

/** For people, who need not know which part of a request has the field. */
const fieldOf = (path: string): string => path.replace(/^(?:body|query|params)\./, '');

function detailOf(error: ErrorObject, part: Part): string {
  const what =
    expectedId(error) === undefined ? fieldOf(pathOf(error, part)) : shortened(String(error.data));
  return `${what} ${wordsOf(error)}`;
}

const SHOWN_CHARS = 60;

function shortened(value: string): string {
  if (value === '') return 'An empty text';
  return value.length <= SHOWN_CHARS ? value : `${value.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}

/** The kind of id that the value should be. */
function expectedId({ keyword, parentSchema }: ErrorObject): string | undefined {
  const description: unknown = (parentSchema as Record<string, unknown> | undefined)?.description;
  return keyword === 'pattern' && typeof description === 'string' ? description : undefined;
}

function wordsOf(error: ErrorObject): string {
  const { params } = error as { params: Record<string, unknown> };
  const id = expectedId(error);
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

type NamedMember =
  /** No member has this name: the known names. */
  | { readonly tag: string; readonly names: readonly string[]; readonly code?: ErrorCode }
  | { readonly schemaPath: string };

/**
 * The member of a union that the value names with its tag. A union fails with the problems of every member, of which
 * only those of one are useful.
 */
function namedMember({
  schema,
  parentSchema,
  schemaPath,
  data,
}: ErrorObject): NamedMember | undefined {
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
