import type { PathArgs, QueryOf, SchemaName, Written } from '@stoa/protocol';
import { paramNames, ROUTES, type Route, type Routes } from '@stoa/protocol/constants';
import type { Answer, Caller, CallId, CallOptions, KeyedCallOptions } from './http/caller.js';

/*
 * The methods of the client follow from the route table. A route with `client: 'channels.get'` becomes
 * `client.channels.get`. Its arguments are the parameters of the path in their order, then the body or the query,
 * then options:
 *
 *   - a query beside a body, headers and a login code are options
 *   - a body or query without required fields is optional
 *   - `shorthand` names the field that may be passed instead of a body or query
 *   - `unwrap` names the field of the answer that is returned
 *   - with `paging`, `method.pages(…)` reads page after page
 */

/** The API: a tree of methods, by the dotted names in the route table. */
export type Api = Tree<{ [K in CallId as Routes[K]['client']]: K }>;

type Tree<M extends Record<string, CallId>> = {
  readonly [H in Head<keyof M & string>]: H extends keyof M
    ? Method<Routes[M[H]]>
    : Tree<{ [N in keyof M & string as N extends `${H}.${infer Rest}` ? Rest : never]: M[N] }>;
};
type Head<Name extends string> = Name extends `${infer First}.${string}` ? First : Name;

/** The method of a route. */
type Method<R extends Route> = ((...args: Args<R>) => Promise<Result<R>>) & Paged<R>;

type Paged<R extends Route> = R extends { paging: string } ? PagesOf<R> : unknown;
interface PagesOf<R extends Route> {
  pages(...args: Args<R>): AsyncGenerator<Answer<R>, void, undefined>;
}

/** The query of a listing; the daemon applies defaults. */
export type QueryFor<K extends CallId> = Partial<QueryOf<Routes[K]>>;

type Result<R extends Route> = R extends { unwrap: infer F extends string }
  ? Field<Answer<R>, F>
  : Answer<R>;
type Field<T, F extends string> = T extends Readonly<Record<F, infer V>> ? V : never;

type Args<R extends Route> = [
  ...PathArgs<R['path']>,
  ...(R extends { body: infer B extends SchemaName | 'bytes' }
    ? Input<R, B>
    : R extends { query: infer Q extends SchemaName }
      ? Input<R, Q>
      : []),
  options?: Options<R>,
];

type Input<R extends Route, N> =
  Partial<Written<N>> extends Written<N> ? [input?: Given<R, N> | undefined] : [input: Given<R, N>];
type Given<R extends Route, N> = Written<N> | Short<R, Written<N>>;
type Short<R extends Route, I> = R extends { shorthand: infer F extends string }
  ? Exclude<I[F & keyof I], undefined>
  : never;

type Options<R extends Route> = CallOptions &
  (R extends { retry: 'keyed' } ? KeyedCallOptions : unknown) &
  (R extends { freshLogin: true } ? FreshCallOptions : unknown) &
  (R extends { headers: infer H extends SchemaName } ? { readonly headers: Written<H> } : unknown) &
  (R extends { body: string; query: infer Q extends SchemaName } ? Written<Q> : unknown);

export interface FreshCallOptions extends CallOptions {
  /** At most ten minutes old; a browser login needs it, and the call uses it up. */
  readonly loginCode?: string | undefined;
}

/** A branch of the tree, or an answer; the route table has the types of their fields. */
type Fields = Record<string, unknown>;

export function createApi(call: Caller): Api {
  const api: Fields = {};
  for (const [id, route] of Object.entries<Route>(ROUTES)) {
    if (route.client === undefined) continue;
    const names = route.client.split('.');
    const last = names.pop() ?? '';
    let branch = api;
    for (const name of names) branch = (branch[name] ??= {}) as Fields;
    branch[last] = methodOf(call as UntypedCaller, id as CallId, route);
  }
  return api as Api;
}

type UntypedCaller = (id: CallId, input: CallInput) => Promise<Fields>;
type Arguments = readonly unknown[];

interface CallInput extends KeyedCallOptions {
  readonly params: Fields;
  readonly query: Fields;
  readonly body?: unknown;
  readonly headers: Fields;
}

function methodOf(call: UntypedCaller, id: CallId, route: Route) {
  const { unwrap, paging } = route;
  const method = async (...args: Arguments): Promise<unknown> => {
    const answer = await call(id, inputOf(route, args));
    return unwrap === undefined ? answer : answer[unwrap];
  };
  if (paging === undefined) return method;
  const next = paging === 'after' ? 'nextAfter' : 'nextBefore';
  return Object.assign(method, {
    async *pages(...args: Arguments) {
      const input = inputOf(route, args);
      let position = input.query[paging];
      do {
        const page = await call(id, { ...input, query: { ...input.query, [paging]: position } });
        yield page;
        position = page[next];
      } while (position !== undefined);
    },
  });
}

/** Assigns the arguments of a method to the parts of its request. */
function inputOf({ path, query, body, shorthand }: Route, args: Arguments): CallInput {
  const names = paramNames(path);
  const params = Object.fromEntries(names.map((name, index) => [name, args[index]]));
  const rest = args.slice(names.length);
  const written = (body ?? query) ? whole(rest.shift(), shorthand) : undefined;
  const { signal, idempotencyKey, loginCode, headers, ...more } = (rest[0] ?? {}) as Fields;
  return {
    ...(signal instanceof AbortSignal && { signal }),
    ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
    params,
    query: body === undefined ? ((written ?? {}) as Fields) : more,
    ...(body !== undefined && { body: written ?? {} }),
    headers: {
      ...(headers as Fields | undefined),
      ...(loginCode !== undefined && { 'stoa-login-code': loginCode }),
    },
  };
}

function whole(input: unknown, shorthand: string | undefined): unknown {
  const isWhole = input === undefined || (typeof input === 'object' && input !== null);
  return isWhole || shorthand === undefined ? input : { [shorthand]: input };
}
