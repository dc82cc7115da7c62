import type { z } from 'zod';
import type * as schemas from '../schemas.js';
import type { CallerClass } from './access-table.js';

type Schemas = typeof schemas;

/** A schema of the contract, by the name under which this package exports it and OpenAPI lists it. */
export type SchemaName = {
  [N in keyof Schemas]: Schemas[N] extends z.ZodType ? N : never;
}[keyof Schemas];

/**
 * Whether a call may be repeated when its outcome is unknown. `always`: repeating it changes nothing; `keyed`: yes,
 * under the same `Idempotency-Key`; `never`: the caller must check first.
 */
export type Retry = 'always' | 'keyed' | 'never';

/**
 * One HTTP call of the contract, as data: the daemon serves it, the client makes it, OpenAPI describes it. It refers
 * to schemas by name, so that programs that only make calls need not load them.
 */
export interface RouteEntry {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly access: readonly CallerClass[];
  /** From a browser login it needs a login code in `Stoa-Login-Code`, which the request uses up. */
  readonly freshLogin?: true;
  /** 200 unless given. */
  readonly status?: number;
  /**
   * What the answer is if it is not JSON of a handler that calls the domain; these routes have special handlers. A
   * `page` is a page of the web UI.
   */
  readonly carries?: 'bytes' | 'document' | 'login' | 'page' | 'stream' | 'text';
  /** Schemas of path parameters that differ from `PARAMS`. */
  readonly params?: Readonly<Record<string, SchemaName>>;
  readonly query?: SchemaName;
  /** Required headers, besides those of every request. */
  readonly headers?: SchemaName;
  readonly body?: SchemaName | 'bytes';
  readonly bodyLimit?: number;
  readonly answer?: SchemaName;
  /** Default: `always` for reads, `never` for other calls. */
  readonly retry?: Retry;
  /** Its time depends on the size of the data, so the client sets no deadline. */
  readonly untimed?: true;
  /** The query field that continues a list; the answer has its next value as `nextAfter` or `nextBefore`. */
  readonly paging?: 'after' | 'before';
  /** The method of the client; without it the client does not make the call. */
  readonly client?: string;
  /** A field of the body or the query that callers of the client may pass instead of the whole. */
  readonly shorthand?: string;
  /** The field of the answer that the client returns instead of the whole. */
  readonly unwrap?: string;
}

export interface Route extends RouteEntry {
  readonly tag: string;
  readonly status: number;
}

type Tagged<R> = { readonly [K in keyof R]: R[K] & Pick<Route, 'tag' | 'status'> };

/** Adds the common fields to the routes of one area. */
export function tagged<const R extends Readonly<Record<string, RouteEntry>>>(
  tag: string,
  routes: R,
): Tagged<R> {
  const entries = Object.entries(routes).map(([id, route]) => [id, { tag, status: 200, ...route }]);
  return Object.fromEntries(entries) as Tagged<R>;
}

export function retryOf({ method, retry }: Route): Retry {
  return retry ?? (method === 'GET' ? 'always' : 'never');
}

/** The names of the parameters in a path, as a union. */
export type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters of a path as arguments, in their order. */
export type PathArgs<Path extends string> = Path extends `${string}:${string}/${infer Rest}`
  ? [id: string, ...PathArgs<`/${Rest}`>]
  : Path extends `${string}:${string}`
    ? [id: string]
    : [];

export const paramNames = (path: string): string[] =>
  Array.from(path.matchAll(/:([a-zA-Z]+)/g), ([, name = '']) => name);

type Parsed<N> = N extends SchemaName
  ? z.infer<Schemas[N]>
  : N extends 'bytes'
    ? Uint8Array
    : undefined;
export type ParamsOf<R extends Route> = { readonly [N in ParamName<R['path']>]: string };
export type QueryOf<R extends Route> = Parsed<R['query']>;
export type HeadersOf<R extends Route> = Parsed<R['headers']>;
export type BodyOf<R extends Route> = Parsed<R['body']>;
export type AnswerOf<R extends Route> = Parsed<R['answer']>;

/** As a caller writes it: fields with defaults are optional. */
export type Written<N> = N extends SchemaName ? z.input<Schemas[N]> : Parsed<N>;
