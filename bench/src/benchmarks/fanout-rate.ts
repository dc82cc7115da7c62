import { WebSocket } from 'ws';
import { alternate, type Block, type Extent, type Pair } from '../measure/alternate.js';
import { monotonicMs } from '../measure/monotonic.js';
import { startProgram } from '../world/child.js';
import { POSTERS, type PublishedChannel } from '../world/published-channel.js';
import type { ReaderProcess, Readers } from '../world/readers.js';
import type { Scope } from '../world/scope.js';

const POSTS_EACH = 3;
const MESSAGES = POSTERS * POSTS_EACH;

/** From the first post to the last delivery, against a server that only broadcasts. */
export async function deliveryRates(
  scope: Scope,
  process: ReaderProcess,
  channel: PublishedChannel,
  count: number,
  extent: Extent,
): Promise<Pair[]> {
  const readers = await process.open(channel.target, count);
  const ours = deliveriesPerSecond(readers, () => channel.postAll(POSTS_EACH));

  const { said } = await startProgram(scope, 'broadcast-server');
  const port = Number(said);
  const peerReaders = await process.open({ port, path: '/' }, count);
  const publisher = await openPublisher(scope, port);
  const peer = deliveriesPerSecond(peerReaders, () => {
    for (let i = 0; i < MESSAGES; i++) publisher.send(channel.frame);
  });
  return alternate(ours, peer, extent);
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
