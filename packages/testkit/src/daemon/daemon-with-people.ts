import type { Channel, Message, Stamped } from '@stoa/protocol';
import type { CallAnswer } from './call.js';
import { type Caller, callerOf, newPerson } from './caller.js';
import type { DaemonEngine, TestDirectory } from './daemon-engines.js';
import type { StartOptions, TestDaemon } from './start-daemon.js';

/** A running daemon with three people: its owner, Ada and Bea. */
export interface DaemonWithPeople {
  readonly directory: TestDirectory;
  readonly daemon: TestDaemon;
  readonly owner: Caller;
  readonly ada: Caller;
  readonly bea: Caller;
}

export async function startWithPeople(
  engine: DaemonEngine,
  options: Omit<StartOptions, 'home'> = {},
): Promise<DaemonWithPeople> {
  const directory = await engine.newDirectory();
  const daemon = await directory.start(options);
  return {
    directory,
    daemon,
    owner: callerOf(daemon.url, daemon.token),
    ada: await newPerson(daemon, 'ada'),
    bea: await newPerson(daemon, 'bea'),
  };
}

export const channelPath = (channelId: string, rest = ''): string =>
  `/v1/channels/${channelId}${rest}`;

/** Creates a channel that the others join, and returns the path of its messages. */
export async function newChannel(
  channelId: string,
  creator: Caller,
  ...others: readonly Caller[]
): Promise<string> {
  expectStatus(await createChannel(creator, channelId), 201);
  for (const other of others) {
    expectStatus(await other.post(channelPath(channelId, '/members'), {}), 200);
  }
  return channelPath(channelId, '/messages');
}

export const createChannel = (
  by: Caller,
  channelId: string,
  more: object = {},
): Promise<CallAnswer<Channel>> =>
  by.post<Channel>('/v1/channels', { channelId, title: channelId, ...more });

/** Posts a message that must be accepted. */
export async function postMessage(by: Caller, messages: string, body: object): Promise<Message> {
  const posted = await by.post<Message>(messages, body);
  expectStatus(posted, 201);
  return posted.json;
}

export async function listMessages(
  by: Caller,
  messages: string,
  query = '',
): Promise<{ messages: Message[]; hasMore: boolean }> {
  return (await by.get<{ messages: Message[]; hasMore: boolean }>(`${messages}?${query}`)).json;
}

export const textsOf = (messages: readonly Message[]): string[] =>
  messages.map(({ inputItems: [item] }) => (item?.type === 'text' ? item.text : ''));

export const headOf = async (by: Caller, channelId: string): Promise<number> =>
  (await by.get<Channel>(channelPath(channelId))).json.headSeq;

export async function logOf(by: Caller, channelId: string): Promise<Stamped[]> {
  const path = `/v1/topics/channel:${channelId}/events?limit=200`;
  return (await by.get<{ events: Stamped[] }>(path)).json.events;
}

/** The code of a problem; undefined for another answer. */
export const codeOf = (json: unknown): string | undefined => (json as { code?: string }).code;

/** The status and the code of a problem. */
export const refusalOf = ({ status, json }: CallAnswer<unknown>): [number, string | undefined] => [
  status,
  codeOf(json),
];

function expectStatus({ status, text }: CallAnswer<unknown>, expected: number): void {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${text}`);
}
