import type { z } from 'zod';
import type { CallerClass } from './access-table.js';

/** One HTTP call of the contract: the daemon serves it, the client types it, OpenAPI describes it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly access: readonly CallerClass[];
  /** From a browser login it needs a login code in `Stoa-Login-Code`, which is used up by the request. */
  readonly freshLogin?: true;
  readonly status: number;
  /** How the answer is carried; `json` unless said. */
  readonly carries?: 'json' | 'bytes' | 'text' | 'stream' | 'page';
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Headers that it needs, besides those of every request. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType | 'bytes';
  readonly bodyLimit?: number;
  readonly answer?: z.ZodType;
  /** Takes an `Idempotency-Key`: the same key and request give the same answer, once. */
  readonly idempotent?: true;
}

type Infer<S> = S extends z.ZodType ? z.infer<S> : S extends 'bytes' ? Uint8Array : undefined;
export type ParamsOf<R extends Route> = Infer<R['params']>;
export type QueryOf<R extends Route> = Infer<R['query']>;
export type BodyOf<R extends Route> = Infer<R['body']>;
export type AnswerOf<R extends Route> = Infer<R['answer']>;
