import { WebSocket } from 'ws';
import type { Benchmark } from '../benchmark.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { alternate, type Block } from '../measure/alternate.js';
import { figureOf } from '../measure/figure.js';
import { quantile } from '../measure/quartiles.js';
import { openPublishedChannel, type PublishedChannel } from '../world/published-channel.js';
import { connectRedis, startRedis } from '../world/redis.js';
import type { Scope } from '../world/scope.js';
import { openSettledSearch } from '../world/settled-search.js';

const OPERATIONS = 100;
const STREAM = 'bench';

/** Sends one message; resolves when its reader has it and when the sender was answered. */
interface Delivery {
  readonly received: Promise<unknown>;
  readonly answered: Promise<unknown>;
}

interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

export const latency: Benchmark = {
  description: 'post to subscriber, synced, p50 and p99 ÷ a Redis stream with appendfsync always',
  async run(form, scope) {
    const extent =
      form === 'short'
        ? { pairs: 15, seconds: 6, warmUp: 5 }
        : { pairs: 200, seconds: 90, warmUp: 20 };
    const overRedis = await openRedis(scope, await startRedis(scope));
    const channel = await openPublishedChannel(scope, MESSAGE_TEXT);
    const overStoa = await openStoa(scope, channel);
    const settle = openSettledSearch(scope, channel.daemon.home);
    const pairs = await alternate(latenciesOf(overStoa), latenciesOf(overRedis), {
      ...extent,
      settle,
    });
    return (['p50', 'p99'] as const).map((part) =>
      figureOf(
        { bench: 'latency', part, unit: 'ms', goal: '<=1.5' },
        pairs.map(({ ours, peer }) => ({ ours: ours[part], peer: peer[part] })),
      ),
    );
  },
};

function latenciesOf(deliver: () => Delivery): Block<Latencies> {
  return async () => {
    const times = new Float64Array(OPERATIONS);
    for (let i = 0; i < OPERATIONS; i++) {
      const sent = performance.now();
      const { received, answered } = deliver();
      await received;
      times[i] = performance.now() - sent;
      await answered;
    }
    times.sort();
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  };
}

async function openStoa(scope: Scope, channel: PublishedChannel): Promise<() => Delivery> {
  const { port, path, token, request } = channel.target;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  scope.defer(() => {
    socket.terminate();
  });
  const next = (event: 'open' | 'message'): Promise<void> =>
    new Promise((resolve) => {
      socket.once(event, () => {
        resolve();
      });
    });
  await next('open');
  const subscribed = next('message');
  socket.send(request);
  await subscribed;
  return () => ({ received: next('message'), answered: channel.postOne() });
}

/** The reader asks before the writer writes, and is answered when there is something new. */
async function openRedis(scope: Scope, port: number): Promise<() => Delivery> {
  const [reader, writer] = [connectRedis(scope, port), connectRedis(scope, port)];
  let last = await writer.xadd(STREAM, '*', 'text', MESSAGE_TEXT);
  return () => {
    const received = reader.xread('BLOCK', 0, 'STREAMS', STREAM, last ?? '0').then((answer) => {
      last = answer?.[0]?.[1].at(-1)?.[0] ?? null;
    });
    return { received, answered: writer.xadd(STREAM, '*', 'text', MESSAGE_TEXT) };
  };
}
