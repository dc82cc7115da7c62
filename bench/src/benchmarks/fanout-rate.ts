import { WebSocket } from 'ws';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { alternate, type Block, type Extent, type Pair } from '../measure/alternate.js';
import { monotonicMs } from '../measure/monotonic.js';
import { Child } from '../world/child.js';
import { openPublishedChannel, POSTERS } from '../world/published-channel.js';
import { ReaderProcess, type Readers } from '../world/readers.js';
import type { Scope } from '../world/scope.js';

const POSTS_EACH = 3;
const MESSAGES = POSTERS * POSTS_EACH;

export interface Audience {
  readonly readers: number;
  /** Of ours, beside the readers: they take nothing, and are replaced when they are cut off. */
  readonly stalled: number;
}

/** From the first post to the last delivery, against a server that only broadcasts. */
export async function deliveryRates(
  scope: Scope,
  { readers: count, stalled }: Audience,
  extent: Extent,
): Promise<Pair[]> {
  const channel = await openPublishedChannel(scope, MESSAGE_TEXT);
  const port = Number((await Child.startProgram(scope, 'broadcast-server')).readyText);
  const publisher = await openPublisher(scope, port);
  // Started after the servers, so that it ends before them and nobody is cut off.
  const process = await ReaderProcess.start(scope);
  const ours = deliveriesPerSecond(await process.open(channel.target, count), () =>
    channel.postAll(POSTS_EACH),
  );
  const peer = deliveriesPerSecond(await process.open({ port, path: '/' }, count), () => {
    for (let i = 0; i < MESSAGES; i++) publisher.send(channel.frame);
  });
  const pressed: Block = async () => {
    if (stalled > 0) {
      const { streams } = await channel.daemon.client.status();
      await process.stall(channel.target, count + stalled - streams);
    }
    return ours();
  };
  return alternate(pressed, peer, extent);
}

function deliveriesPerSecond(readers: Readers, publish: () => unknown): Block {
  return async () => {
    const started = monotonicMs();
    const published = publish();
    const arrivals = await readers.arrivals(MESSAGES);
    await published;
    return (readers.count * MESSAGES * 1000) / (Math.max(...arrivals) - started);
  };
}

function openPublisher(scope: Scope, port: number): Promise<WebSocket> {
  const publisher = new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false });
  scope.defer(() => {
    publisher.terminate();
  });
  return new Promise((resolve, reject) => {
    publisher.once('error', reject);
    publisher.once('open', () => {
      resolve(publisher);
    });
  });
}
