import { alternate, type Extent, type Pair } from '../measure/alternate.js';
import { monotonicMs } from '../measure/monotonic.js';
import { quantile } from '../measure/quartiles.js';
import { openPublishedChannel, type PublishedChannel } from '../world/published-channel.js';
import { ReaderProcess, type Readers } from '../world/readers.js';
import { residentMegabytes } from '../world/resident-memory.js';
import type { Scope } from '../world/scope.js';

const HEALTHY = 100;
const STALLED = 10;
const POSTS = 20;

/** Large enough that a reader which takes nothing soon has more waiting than the kernel holds for it. */
const TEXT = 'stoa '.repeat(6_400);

interface Side {
  readonly channel: PublishedChannel;
  readonly readers: Readers;
}

export interface UnderStalled {
  /** Healthy p99 in milliseconds: with stalled readers, and of another daemon without. */
  readonly p99: readonly Pair[];
  /**
   * The most that the daemon with stalled readers has grown by since before they stalled, beyond what
   * the same posts made the other one grow by: caches fill and heaps expand in both.
   */
  readonly growthMegabytes: number;
}

/** The same posts to two daemons with healthy readers; one of them has stalled readers as well. */
export async function underStalledReaders(
  scope: Scope,
  { warmUp = 1, ...extent }: Extent,
): Promise<UnderStalled> {
  const [one, other] = [
    await openPublishedChannel(scope, TEXT),
    await openPublishedChannel(scope, TEXT),
  ];
  const process = await ReaderProcess.start(scope);
  const pressed: Side = { channel: one, readers: await process.open(one.target, HEALTHY) };
  const quiet: Side = { channel: other, readers: await process.open(other.target, HEALTHY) };
  for (let i = 0; i < warmUp; i++) {
    await healthyP99(pressed);
    await healthyP99(quiet);
  }
  const { daemon, target } = pressed.channel;
  const before = lead(pressed, quiet);
  let most = before;
  const p99 = await alternate(
    async () => {
      // Those that were cut off are replaced, so that there are always as many.
      const { streams } = await daemon.client.status();
      await process.stall(target, HEALTHY + STALLED - streams);
      return healthyP99(pressed);
    },
    async () => {
      const measured = await healthyP99(quiet);
      most = Math.max(most, lead(pressed, quiet));
      return measured;
    },
    { ...extent, warmUp: 3 },
  );
  return { p99, growthMegabytes: most - before };
}

/** How much more memory one daemon holds than the other. */
function lead(one: Side, other: Side): number {
  const [more, less] = [one, other].map(({ channel }) => channel.daemon.child.pid);
  return residentMegabytes(more as number) - residentMegabytes(less as number);
}

/** One post at a time; from sending it to its arrival at each of the readers. */
async function healthyP99({ channel, readers }: Side): Promise<number> {
  const latencies: number[] = [];
  for (let i = 0; i < POSTS; i++) {
    const arrivals = readers.arrivals(1);
    const sent = monotonicMs();
    await channel.postOne();
    for (const arrived of await arrivals) latencies.push(arrived - sent);
  }
  return quantile(Float64Array.from(latencies).sort(), 0.99);
}
