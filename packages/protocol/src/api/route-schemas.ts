import { z } from 'zod';
import * as schemas from '../schemas.js';
import { paramNames, type Route, type SchemaName } from './route.js';

/** The schemas of a route, by the names in its entry. */
export interface RouteSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer?: z.ZodType;
}

/** Path parameters whose schema is not named after them; that of `channelId` is `ChannelId`. */
const PARAMS: Readonly<Record<string, SchemaName>> = {
  file: 'PathSegment',
  itemId: 'InboxItemId',
  name: 'MemoryFileName',
  sourceId: 'ObservationSourceId',
  topic: 'TopicName',
};

export function schemasOf(route: Route): RouteSchemas {
  const { query, headers, body, answer } = route;
  const names = paramNames(route.path);
  return {
    ...(names.length > 0 && {
      params: z.strictObject(Object.fromEntries(names.map((name) => [name, param(route, name)]))),
    }),
    ...(query && { query: objectNamed(query) }),
    ...(headers && { headers: objectNamed(headers) }),
    ...(body && body !== 'bytes' && { body: named(body) }),
    ...(answer && { answer: named(answer) }),
  };
}

/** A page accepts any id and reports itself what does not exist. */
function param({ path, carries, params }: Route, name: string): z.ZodType {
  const own = params?.[name];
  if (own) return named(own);
  if (carries === 'page') return schemas.PathSegment;
  const schema = named((PARAMS[name] ?? capitalised(name)) as SchemaName) as z.ZodType | undefined;
  if (!schema) throw new Error(`The parameter ${name} of ${path} has no schema`);
  return schema;
}

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const named = (name: SchemaName): z.ZodType => schemas[name];

function objectNamed(name: SchemaName): z.ZodObject {
  const schema = schemas[name];
  if (!(schema instanceof z.ZodObject)) throw new Error(`${name} has no fields`);
  return schema;
}
