import { channelTopic, type StreamFrame } from '@stoa/protocol';
import { type HttpConnection, openConnections, postRequest } from '../load/http-connection.js';
import { share } from '../load/share.js';
import type { ReaderTarget } from '../load/web-socket-reader.js';
import { type Daemon, startDaemon } from './daemon.js';
import { openDirectory } from './directory.js';
import type { Scope } from './scope.js';

const CHANNEL = 'bench';
export const POSTERS = 32;

/** A daemon with one channel, people who post there at once, and how to follow it. */
export interface PublishedChannel {
  readonly daemon: Daemon;
  readonly target: Required<ReaderTarget>;
  /** What a reader gets for a post. */
  readonly frame: string;
  /** Everybody posts so often, one after the other. */
  postAll(each: number): Promise<void>;
  /** Resolves when the post is acknowledged. */
  postOne(): Promise<unknown>;
}

export async function openPublishedChannel(scope: Scope, text: string): Promise<PublishedChannel> {
  const daemon = await startDaemon(scope, openDirectory(scope));
  const { port, token, client } = daemon;
  await client.channels.create({ channelId: CHANNEL, title: CHANNEL });
  const request = postRequest(port, `/v1/channels/${CHANNEL}/messages`, token, { text });
  const connections = await openConnections(scope, port, POSTERS);
  const post = (i: number): Promise<string> => (connections[i] as HttpConnection).exchange(request);
  await post(0);
  const topic = channelTopic(CHANNEL);
  const { events } = await client.topics.read(topic);
  const frame = { type: 'event', event: events.at(-1) } as StreamFrame;
  return {
    daemon,
    target: {
      port,
      path: '/v1/stream',
      token,
      request: JSON.stringify({ type: 'subscribe', topic }),
    },
    frame: JSON.stringify(frame),
    postAll: (each) => share(POSTERS, each, post),
    postOne: () => post(0),
  };
}
