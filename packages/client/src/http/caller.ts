import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '@stoa/protocol';
import { ROUTES, type Route, type RouteId, type Routes, retryOf } from '@stoa/protocol/constants';
import type { CallerCredential } from '../access/caller-credential.js';
import { backoffMs } from '../backoff.js';
import { problemFrom, StoaProblem, unreachable } from '../problem.js';
import { requestUrl } from './request-url.js';
import { type Failure, mayRepeat, type RetryPolicy } from './retry.js';
import { ConnectionLost, type Transport, type TransportAnswer } from './transport.js';

/** The routes that the client calls. */
export type CallId = {
  [K in RouteId]: Routes[K] extends { client: string } ? K : never;
}[RouteId];

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface KeyedCallOptions extends CallOptions {
  /** Chosen by the client unless given; give one to make a call safe across restarts of the caller. */
  readonly idempotencyKey?: string | undefined;
}

interface CallInput<K extends CallId> extends KeyedCallOptions {
  readonly params?: ParamsOf<Routes[K]>;
  readonly query?: Partial<QueryOf<Routes[K]>> | undefined;
  readonly body?: BodyOf<Routes[K]>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a call resolves to. */
export type Answer<R extends Route> = R extends { carries: 'bytes' } ? Uint8Array : AnswerOf<R>;

/** Makes one call of the contract, again where that is safe, and rejects with a `StoaProblem`. */
export type Caller = <K extends CallId>(id: K, input?: CallInput<K>) => Promise<Answer<Routes[K]>>;

export interface CallerPorts {
  readonly baseUrl: string;
  readonly credential: CallerCredential;
  readonly transport: Transport;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly unreachableText: string | undefined;
  readonly random: () => number;
  readonly newKey: () => string;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export function createCaller(ports: CallerPorts): Caller {
  return async <K extends CallId>(id: K, input: CallInput<K> = {}): Promise<Answer<Routes[K]>> => {
    const route: Route = ROUTES[id];
    const request = { ...encode(ports, route, input as EncodedInput), signal: input.signal };
    let isRenewed = false;
    for (let made = 1; ; made += 1) {
      const outcome = await attempt(ports, request);
      if ('answer' in outcome) {
        const { answer, secret } = outcome;
        const isRefused = answer.status === 401 && secret !== undefined && !isRenewed;
        if (isRefused && ports.credential.refused(secret)) {
          // Nothing was done. The daemon may have been started again, which ends access tokens.
          isRenewed = true;
          continue;
        }
        return decode(ports, route, answer) as Answer<Routes[K]>;
      }
      if (!mayRepeat(ports.retry, retryOf(route), outcome.failure, made)) throw outcome.problem;
      await ports.sleep(backoffMs(ports.retry, made - 1, ports.random()), input.signal);
    }
  };
}

/** A `CallInput` seen without its route: path and query hold nothing but text and numbers. */
interface EncodedInput extends KeyedCallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Encoded = ReturnType<typeof encode> & { readonly signal: AbortSignal | undefined };

function encode(ports: CallerPorts, route: Route, input: EncodedInput) {
  const { method, path, retry, untimed } = route;
  const headers: Record<string, string> = { accept: 'application/json', ...input.headers };
  if (retry === 'keyed') headers['idempotency-key'] = input.idempotencyKey ?? ports.newKey();
  const { body } = input;
  if (body !== undefined) {
    headers['content-type'] =
      body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
  }
  return {
    method,
    url: requestUrl(ports.baseUrl, path, input.params ?? {}, input.query ?? {}),
    headers,
    ...(body === undefined
      ? {}
      : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    ...(untimed ? {} : { timeoutMs: ports.timeoutMs }),
  };
}

type Outcome =
  | { readonly answer: TransportAnswer; readonly secret: string | undefined }
  | { readonly failure: Failure; readonly problem: StoaProblem };

async function attempt(ports: CallerPorts, request: Encoded): Promise<Outcome> {
  const { signal, headers, ...rest } = request;
  const { credential } = ports;
  try {
    const secret = await credential.secret();
    signal?.throwIfAborted();
    const [name, value] = secret === undefined ? [] : credential.header(secret);
    const own = name === undefined || value === undefined ? {} : { [name]: value };
    const sent = { ...rest, headers: { ...headers, ...own } };
    const answer = await ports.transport(signal ? { ...sent, signal } : sent);
    if (answer.status !== 503) return { answer, secret };
    return { failure: 'unavailable', problem: problemOf(ports, answer) };
  } catch (error) {
    if (error instanceof StoaProblem && isPassing(error)) {
      return { failure: 'unavailable', problem: error };
    }
    if (!(error instanceof ConnectionLost)) throw error;
    credential.doubt();
    return { failure: error.refused ? 'refused' : 'lost', problem: problemOfLoss(ports, error) };
  }
}

/** Of a credential that could not be had: the daemon is stopping, or cannot reach its store. */
const isPassing = ({ status, code }: StoaProblem): boolean =>
  status === 503 && code !== 'daemon_not_proven';

export function problemOfLoss(
  { baseUrl, unreachableText }: Pick<CallerPorts, 'baseUrl' | 'unreachableText'>,
  error: ConnectionLost,
): StoaProblem {
  const what = error.refused
    ? `no daemon answers at ${baseUrl}`
    : `the connection to ${baseUrl} was lost (${error.message})`;
  return unreachable(unreachableText ?? what, error);
}

function problemOf(ports: CallerPorts, answer: TransportAnswer): StoaProblem {
  return problemFrom(answer.status, text(answer), ports.baseUrl);
}

function decode(ports: CallerPorts, route: Route, answer: TransportAnswer): unknown {
  if (answer.status < 200 || answer.status > 299) throw problemOf(ports, answer);
  if (route.carries === 'bytes') return answer.body;
  if (answer.status === 204) return undefined;
  try {
    return JSON.parse(text(answer));
  } catch (error) {
    throw unreachable(`what answers at ${ports.baseUrl} is not a Stoa daemon`, error);
  }
}

function text(answer: TransportAnswer): string {
  return new TextDecoder().decode(answer.body);
}
