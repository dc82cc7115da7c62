import type { AnswerApproval, Approval, Message } from '@stoa/protocol';
import { LIMITS, ROUTES } from '@stoa/protocol/constants';
import { type CallerCredential, plainToken } from './access/caller-credential.js';
import { type Api, createApi, type QueryFor } from './api.js';
import { type CallerPorts, type CallOptions, createCaller, problemOfLoss } from './http/caller.js';
import { fetchTransport } from './http/fetch-transport.js';
import { requestUrl } from './http/request-url.js';
import { DEFAULT_RETRY, type RetryPolicy } from './http/retry.js';
import { ConnectionLost, type Transport } from './http/transport.js';
import { browserSocket } from './live/browser-socket.js';
import type { FollowItemOf } from './live/follow-item.js';
import type { OpenSocket, Socket } from './live/socket.js';
import { type FollowOptions, type OpenStream, Stream } from './live/stream.js';
import { StoaProblem } from './problem.js';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly token?: string | undefined;
  /** Instead of a token: the login of a browser, see `browserLogin`, or a token that requires a proof. */
  readonly credential?: CallerCredential;
  readonly transport?: Transport;
  readonly openSocket?: OpenSocket;
  readonly retry?: Partial<RetryPolicy>;
  readonly timeoutMs?: number;
  /** The text if nobody answers, for people who do not know the address; default: address and cause. */
  readonly unreachableText?: string;
  readonly random?: () => number;
  readonly newKey?: () => string;
}

type Decision<D extends AnswerApproval['decision']> = Partial<
  Omit<Extract<AnswerApproval, { decision: D }>, 'decision'>
>;

export interface Client extends Omit<Api, 'approvals' | 'assets' | 'messages'> {
  readonly baseUrl: string;
  readonly approvals: Api['approvals'] & {
    /** The first answer counts: later ones get the problem `approval_settled`. */
    allow(approvalId: string, how?: Decision<'allow'>, options?: CallOptions): Promise<Approval>;
    deny(approvalId: string, how?: Decision<'deny'>, options?: CallOptions): Promise<Approval>;
    answer(approvalId: string, text: string, options?: CallOptions): Promise<Approval>;
  };
  readonly assets: Api['assets'] & {
    /** The URL of the bytes. Reading them needs the credential, like every call. */
    rawUrl(assetId: string): string;
  };
  readonly messages: Api['messages'] & {
    /** Forward from `after` if it is given, otherwise back from `before` or the end; each page in log order. */
    pages(
      channelId: string,
      query?: QueryFor<'listMessages'>,
      options?: CallOptions,
    ): AsyncIterable<readonly Message[]>;
  };
  /**
   * Every event of the topic after `after`, once and in order, across lost connections and restarts of the daemon. A
   * `gap` item marks events that are no longer stored. On the topic of a session, `text_chunk` items come between
   * events while a run writes, see `LiveText`; with `drafts`, on that of a channel, `draft` and `draft_ended` while
   * an agent writes there, see `LiveDrafts`. Ends with a `StoaProblem` if the credential is revoked or the topic may
   * not be read.
   */
  follow<T extends string, Drafts extends boolean = false>(
    topic: T,
    options?: FollowOptions<Drafts>,
  ): AsyncIterableIterator<FollowItemOf<T, Drafts>, undefined>;
  /** Ends every iteration of `follow`. */
  close(): void;
}

export function createClient(options: ClientOptions): Client {
  const { baseUrl, token } = options;
  const random = options.random ?? Math.random;
  const credential = options.credential ?? plainToken(token);
  const ports: CallerPorts = {
    baseUrl,
    credential,
    transport: options.transport ?? fetchTransport,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    timeoutMs: options.timeoutMs ?? 60_000,
    unreachableText: options.unreachableText,
    random,
    newKey: options.newKey ?? randomKey,
    sleep,
  };
  const call = createCaller(ports);
  const api = createApi(call);
  // A stream that does not open makes this call at each attempt, so the call need not be repeated.
  const once = createApi(createCaller({ ...ports, retry: { ...ports.retry, attempts: 1 } }));
  const streams: Stream[] = [];
  const bareSocket = options.openSocket ?? (token === undefined ? browserSocket() : undefined);
  const openSocket = bareSocket && withCredential(bareSocket, ports);

  return {
    baseUrl,
    ...api,
    approvals: withDecisions(api.approvals),
    assets: {
      ...api.assets,
      rawUrl: (assetId) => requestUrl(baseUrl, ROUTES.readAsset.path, { assetId }, {}),
    },
    messages: { ...api.messages, pages: pagesOf(api.messages.list) },
    follow<T extends string, Drafts extends boolean = false>(
      topic: T,
      followOptions: FollowOptions<Drafts> = {},
    ) {
      if (!openSocket) {
        throw new TypeError('to follow topics outside a browser, use @stoa/client/node');
      }
      // A socket subscribes to a topic once: a second reader of it uses another socket.
      let stream = streams.find(
        (each) => !each.carries(topic) && each.size < LIMITS.topicsPerStream,
      );
      if (!stream) {
        const url = streamUrl(baseUrl);
        const probe = (): Promise<StoaProblem | undefined> => whyRefused(once);
        stream = new Stream({ url, openSocket, random, probe });
        streams.push(stream);
      }
      const items: AsyncIterableIterator<unknown, undefined> = stream.follow(topic, followOptions);
      return items as AsyncIterableIterator<FollowItemOf<T, Drafts>, undefined>;
    },
    close() {
      for (const stream of streams) stream.close();
    },
  };
}

function withDecisions(approvals: Api['approvals']): Client['approvals'] {
  const { settle } = approvals;
  return {
    ...approvals,
    allow: (approvalId, how, options) =>
      settle(approvalId, { scope: 'once', ...how, decision: 'allow' }, options),
    deny: (approvalId, how, options) =>
      settle(approvalId, { scope: 'once', ...how, decision: 'deny' }, options),
    answer: (approvalId, answer, options) =>
      settle(approvalId, { decision: 'answer', answer }, options),
  };
}

/** Messages are paged in both directions, by their positions. */
function pagesOf(list: Api['messages']['list']): Client['messages']['pages'] {
  return async function* (channelId, query, options) {
    const isForward = query?.after !== undefined;
    let position: QueryFor<'listMessages'> = {};
    for (;;) {
      const { messages, hasMore } = await list(channelId, { ...query, ...position }, options);
      if (messages.length > 0) yield messages;
      const edge = messages.at(isForward ? -1 : 0);
      if (!hasMore || !edge) return;
      position = isForward ? { after: edge.seq } : { before: edge.seq };
    }
  };
}

/** Requests the secret before each attempt, so that the daemon has proven itself if required. */
function withCredential(openSocket: OpenSocket, ports: CallerPorts): OpenStream {
  const { credential } = ports;
  return (url, handlers) => {
    let socket: Socket | undefined;
    let isClosed = false;
    const closed = (refusal?: StoaProblem): void => {
      credential.doubt();
      if (!isClosed) handlers.closed(refusal);
    };
    credential.secret().then(
      (secret) => {
        if (!isClosed) socket = openSocket(url, secret, { ...handlers, closed });
      },
      (error: unknown) => {
        if (error instanceof StoaProblem) closed(error);
        else closed(error instanceof ConnectionLost ? problemOfLoss(ports, error) : undefined);
      },
    );
    return {
      send: (text) => socket?.send(text),
      close() {
        isClosed = true;
        socket?.close();
      },
    };
  };
}

function streamUrl(baseUrl: string): string {
  return baseUrl.replace(/^http/, 'ws').replace(/(?<!\/)\/+$/, '') + ROUTES.stream.path;
}

async function whyRefused(api: Api): Promise<StoaProblem | undefined> {
  try {
    await api.whoami();
    return undefined;
  } catch (error) {
    return error instanceof StoaProblem ? error : undefined;
  }
}

/** Not `randomUUID`: browsers have that on secure origins only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
