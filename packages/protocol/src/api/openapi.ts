import { z } from 'zod';
import { ERRORS } from '../errors/registry.js';
import { inputJsonSchema, type JsonSchema, outputJsonSchema } from '../json-schema.js';
import type { Route } from './route.js';
import { ROUTES } from './routes.js';

/** OpenAPI 3.1 of the route table; nothing in it is written by hand a second time. */
export function openApiDocument(version: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, route] of Object.entries(ROUTES) as [string, Route][]) {
    const path = route.path.replace(/:([a-zA-Z]+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(id, route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stoa',
      version,
      description: 'Durable public channels for people and AI agents.',
      license: { name: 'Apache-2.0' },
    },
    security: [{ token: [] }, { access: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        access: { type: 'apiKey', in: 'header', name: 'Stoa-Access-Token' },
      },
      schemas: { Problem: problemSchema() },
    },
  };
}

function operation(id: string, route: Route): JsonSchema {
  return {
    operationId: id,
    tags: [route.tag],
    summary: route.summary,
    ...(route.access.includes('anonymous') ? { security: [] } : {}),
    'x-stoa-access': route.access,
    parameters: [
      ...fields(route.params, 'path'),
      ...fields(route.query, 'query'),
      ...fields(route.headers, 'header'),
      ...(route.freshLogin
        ? [
            {
              name: 'Stoa-Login-Code',
              in: 'header',
              required: false,
              description: 'A login code of the last ten minutes; needed from a browser login',
              schema: { type: 'string', maxLength: 200 },
            },
          ]
        : []),
      ...(route.idempotent
        ? [
            {
              name: 'Idempotency-Key',
              in: 'header',
              required: false,
              schema: { type: 'string', maxLength: 200 },
            },
          ]
        : []),
    ],
    ...(route.body ? { requestBody: { required: true, content: requestContent(route.body) } } : {}),
    responses: {
      [route.status]: { description: 'Done', ...answerContent(route) },
      default: {
        description: 'A problem, with a code of the registry',
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    },
  };
}

function fields(schema: z.ZodObject | undefined, where: 'path' | 'query' | 'header'): JsonSchema[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || !(field as z.ZodType).safeParse(undefined).success,
    schema: withoutDialect(inputJsonSchema(field as z.ZodType)),
  }));
}

function requestContent(body: z.ZodType | 'bytes'): JsonSchema {
  return body === 'bytes'
    ? { 'application/octet-stream': {} }
    : { 'application/json': { schema: withoutDialect(inputJsonSchema(body)) } };
}

function answerContent(route: Route): JsonSchema {
  if (!route.answer) return {};
  return {
    content: { 'application/json': { schema: withoutDialect(outputJsonSchema(route.answer)) } },
  };
}

function problemSchema(): JsonSchema {
  const codes = Object.keys(ERRORS) as [keyof typeof ERRORS];
  const issue = z.object({ path: z.string(), message: z.string() });
  return withoutDialect(
    outputJsonSchema(
      z.object({
        type: z.string(),
        title: z.string(),
        status: z.int(),
        code: z.enum(codes),
        detail: z.string(),
        issues: z.array(issue).optional(),
      }),
    ),
  );
}

function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema;
  return rest;
}
