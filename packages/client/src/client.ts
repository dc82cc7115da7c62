import { type CallerCredential, plainToken } from './access/caller-credential.js';
import { type AccessApi, accessApi } from './api/access.js';
import { type AgentsApi, agentsApi } from './api/agents.js';
import { type ApprovalsApi, approvalsApi } from './api/approvals.js';
import { type AssetsApi, assetsApi, type PinsApi, pinsApi } from './api/assets.js';
import { type BoardsApi, boardsApi } from './api/boards.js';
import { type ChannelsApi, channelsApi } from './api/channels.js';
import { type MembersApi, membersApi } from './api/members.js';
import { type MemoriesApi, memoriesApi } from './api/memories.js';
import { type MessagesApi, messagesApi } from './api/messages.js';
import { type ObservationsApi, observationsApi } from './api/observations.js';
import { type OperationsApi, operationsApi } from './api/operations.js';
import { type ProjectsApi, projectsApi } from './api/projects.js';
import { type ReadingApi, readingApi } from './api/reading.js';
import { type SchedulesApi, schedulesApi } from './api/schedules.js';
import {
  type ItemsApi,
  itemsApi,
  type RunsApi,
  runsApi,
  type SessionsApi,
  sessionsApi,
} from './api/sessions.js';
import { type StimuliApi, stimuliApi } from './api/stimuli.js';
import { type TasksApi, tasksApi } from './api/tasks.js';
import { type TurnsApi, turnsApi } from './api/turns.js';
import { type UsageApi, usageApi } from './api/usage.js';
import { type CallerPorts, createCaller, problemOfLoss } from './http/caller.js';
import { STREAM_PATH } from './http/calls.js';
import { fetchTransport } from './http/fetch-transport.js';
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
  /** Instead of a token: the login of a browser, see `browserLogin`, or a token that needs a proof first. */
  readonly credential?: CallerCredential;
  readonly transport?: Transport;
  readonly openSocket?: OpenSocket;
  readonly retry?: Partial<RetryPolicy>;
  readonly timeoutMs?: number;
  /** What is said where nobody answers, for people to whom an address says nothing; else address and cause. */
  readonly unreachableText?: string;
  readonly random?: () => number;
  readonly newKey?: () => string;
}

export interface Client extends AccessApi, OperationsApi, ReadingApi, UsageApi {
  readonly baseUrl: string;
  readonly channels: ChannelsApi;
  readonly members: MembersApi;
  readonly messages: MessagesApi;
  readonly turns: TurnsApi;
  readonly stimuli: StimuliApi;
  readonly observations: ObservationsApi;
  readonly memories: MemoriesApi;
  readonly pins: PinsApi;
  readonly assets: AssetsApi;
  readonly agents: AgentsApi;
  readonly sessions: SessionsApi;
  readonly items: ItemsApi;
  readonly runs: RunsApi;
  readonly approvals: ApprovalsApi;
  readonly schedules: SchedulesApi;
  readonly tasks: TasksApi;
  readonly projects: ProjectsApi;
  readonly boards: BoardsApi;
  /**
   * Every event of the topic after `after`, once and in order, across lost connections and restarts
   * of the daemon. A `gap` item stands where events are no longer kept. On the topic of a session
   * `text_chunk` items come between events while a run writes, see `LiveText`; with `drafts`, on that of a
   * channel `draft` and `draft_ended` while an agent writes there, see `LiveDrafts`. Ends with a `StoaProblem`
   * when the credential is revoked or the topic may not be read.
   */
  follow<T extends string, Drafts extends boolean = false>(
    topic: T,
    options?: FollowOptions<Drafts>,
  ): AsyncIterableIterator<FollowItemOf<T, Drafts>, undefined>;
  /** Ends every iteration of `follow`. */
  close(): void;
}

/** The bound of the contract (`LIMITS.topicsPerStream`). */
export const TOPICS_PER_STREAM = 100;

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
  const access = accessApi(call);
  // Who asks why a stream did not open asks again with the next attempt.
  const once = accessApi(createCaller({ ...ports, retry: { ...ports.retry, attempts: 1 } }));
  const streams: Stream[] = [];
  const bareSocket = options.openSocket ?? (token === undefined ? browserSocket() : undefined);
  const openSocket = bareSocket && withCredential(bareSocket, ports);

  return {
    baseUrl,
    ...access,
    ...operationsApi(call),
    ...readingApi(call),
    channels: channelsApi(call),
    members: membersApi(call),
    messages: messagesApi(call),
    turns: turnsApi(call),
    stimuli: stimuliApi(call),
    observations: observationsApi(call),
    memories: memoriesApi(call),
    pins: pinsApi(call),
    assets: assetsApi(call, baseUrl),
    agents: agentsApi(call),
    sessions: sessionsApi(call),
    items: itemsApi(call),
    runs: runsApi(call),
    approvals: approvalsApi(call),
    schedules: schedulesApi(call),
    tasks: tasksApi(call),
    projects: projectsApi(call),
    boards: boardsApi(call),
    ...usageApi(call),
    follow<T extends string, Drafts extends boolean = false>(
      topic: T,
      followOptions: FollowOptions<Drafts> = {},
    ) {
      if (!openSocket) {
        throw new TypeError('to follow topics outside a browser, use @stoa/client/node');
      }
      // A socket subscribes to a topic once: a second reader of it goes to another socket.
      let stream = streams.find((each) => !each.carries(topic) && each.size < TOPICS_PER_STREAM);
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

/** The secret is asked for before each attempt, so that the daemon has proven itself where it must. */
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
  return baseUrl.replace(/^http/, 'ws').replace(/(?<!\/)\/+$/, '') + STREAM_PATH;
}

async function whyRefused(access: AccessApi): Promise<StoaProblem | undefined> {
  try {
    await access.whoami();
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
