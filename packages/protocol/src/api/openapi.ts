import { z } from 'zod';
import { ERRORS } from '../errors/registry.js';
import { type JsonSchema, parameterJsonSchema } from '../json-schema.js';
import { NamedSchemas } from './openapi-schemas.js';
import type { Route } from './route.js';
import { type RouteSchemas, schemasOf } from './route-schemas.js';
import { ROUTES } from './routes.js';

export interface OpenApiOptions {
  readonly version: string;
  /** The exports of this package: its schemas keep their names in the document. */
  readonly schemas: Readonly<Record<string, unknown>>;
}

/**
 * The OpenAPI 3.1 document of the route table; nothing in it is written by hand a second time. Every schema of a
 * request or an answer is in `components.schemas`, in the dialect of OpenAPI 3.1 (2020-12).
 */
export function openApiDocument({ version, schemas }: OpenApiOptions): JsonSchema {
  const named = new NamedSchemas(schemas);
  const problem = named.use('output', problemSchema(), 'Problem');
  const routes = (Object.entries(ROUTES) as [string, Route][]).map(([id, route]) => {
    const all = schemasOf(route);
    const { body, answer } = all;
    const takes = body && named.use('input', body, `${typeName(id)}Request`);
    const gives = answer && named.use('output', answer, `${typeName(id)}Answer`);
    return { id, route, all, ...(takes && { takes }), ...(gives && { gives }) };
  });
  const components = named.components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { id, route, all, takes, gives } of routes) {
    const path = route.path.replace(/:([a-zA-Z]+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(id, route, {
      all,
      request: takes && components.refTo(takes),
      answer: gives && components.refTo(gives),
      problem: components.refTo(problem),
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stoa',
      version,
      description: 'Durable public channels for people and AI agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The daemon that serves this document' }],
    security: [{ token: [] }, { access: [] }],
    tags: [...new Set(routes.map(({ route }) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        access: { type: 'apiKey', in: 'header', name: 'Stoa-Access-Token' },
      },
      schemas: components.schemas,
    },
  };
}

function typeName(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}

interface OperationSchemas {
  readonly all: RouteSchemas;
  readonly request: JsonSchema | undefined;
  readonly answer: JsonSchema | undefined;
  readonly problem: JsonSchema;
}

function operation(id: string, route: Route, schemas: OperationSchemas): JsonSchema {
  return {
    operationId: id,
    tags: [route.tag],
    summary: route.summary,
    ...(route.access.includes('anonymous') ? { security: [] } : {}),
    'x-stoa-access': route.access,
    parameters: [
      ...fields(schemas.all.params, 'path'),
      ...fields(schemas.all.query, 'query'),
      ...fields(schemas.all.headers, 'header'),
      ...(route.freshLogin ? [LOGIN_CODE] : []),
      ...(route.retry === 'keyed' ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(route.body ? { requestBody: { required: true, content: requestContent(schemas) } } : {}),
    responses: {
      [route.status]: { description: 'Done', ...answerContent(route, schemas) },
      default: {
        description: 'A problem, with a code of the registry',
        content: { 'application/problem+json': { schema: schemas.problem } },
      },
    },
  };
}

const LOGIN_CODE = {
  name: 'Stoa-Login-Code',
  in: 'header',
  required: false,
  description: 'A login code of the last ten minutes; needed from a browser login',
  schema: { type: 'string', maxLength: 200 },
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 200 },
};

function fields(schema: z.ZodObject | undefined, where: 'path' | 'query' | 'header'): JsonSchema[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || !(field as z.ZodType).safeParse(undefined).success,
    schema: parameterJsonSchema(field as z.ZodType),
  }));
}

function requestContent({ request }: OperationSchemas): JsonSchema {
  return request ? { 'application/json': { schema: request } } : { 'application/octet-stream': {} };
}

const CONTENT_TYPES = {
  bytes: '*/*',
  document: 'application/json',
  login: '*/*',
  page: '*/*',
  stream: 'text/event-stream',
  text: 'text/plain',
};

function answerContent(
  { carries = 'document', status }: Route,
  { answer }: OperationSchemas,
): JsonSchema {
  if (answer) return { content: { 'application/json': { schema: answer } } };
  if (status === 204) return {};
  return { content: { [CONTENT_TYPES[carries]]: {} } };
}

function problemSchema(): z.ZodType {
  const codes = Object.keys(ERRORS) as [keyof typeof ERRORS];
  const issue = z.object({ path: z.string(), message: z.string() });
  return z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes),
    detail: z.string(),
    issues: z.array(issue).optional(),
  });
}
