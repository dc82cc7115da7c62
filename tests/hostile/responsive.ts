import { type Caller, call, type TestDaemon } from '@stoa/testkit';

/** What the cases call responsive. */
const RESPONSIVE_MS = 250;
/** The machine may do something else for a moment: one quiet attempt shows that the daemon is not to blame. */
const ATTEMPTS = 3;

/** A daemon, with another person and where that person posts. */
export interface Probed {
  readonly daemon: Pick<TestDaemon, 'url'>;
  readonly other: Caller;
  readonly messages: string;
}

/** The longest times of `GET /healthz` and of a post, in milliseconds. */
export interface Slowness {
  readonly attacked: number;
  /** Of a daemon that nobody attacks, at the same time. */
  readonly idle: number;
}

/**
 * Does the work, and meanwhile asks a daemon and an idle one for /healthz and posts to both as another
 * person. Repeats the work, if the daemon was not responsive, to tell a busy machine from a busy daemon.
 */
export async function whileProbed<T>(
  attacked: Probed,
  idle: Probed,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly slowness: Slowness }> {
  for (let attempt = 1; ; attempt += 1) {
    const [stopAttacked, stopIdle] = [probe(attacked), probe(idle)];
    let result: T;
    try {
      result = await work();
    } finally {
      await Promise.all([stopAttacked(), stopIdle()]);
    }
    const slowness = { attacked: await stopAttacked(), idle: await stopIdle() };
    if (isResponsive(slowness) || attempt === ATTEMPTS) return { result, slowness };
  }
}

/** What an idle daemon takes on this machine at the same time is no fault of the other one. */
export const isResponsive = ({ attacked, idle }: Slowness): boolean =>
  attacked <= RESPONSIVE_MS + idle;

/** Returns what ends it and tells the longest time. */
function probe({ daemon, other, messages }: Probed): () => Promise<number> {
  let isOver = false;
  const run = async (): Promise<number> => {
    let longest = 0;
    while (!isOver) {
      const began = performance.now();
      const since = (): number => performance.now() - began;
      const times = await Promise.all([
        call(daemon.url, 'GET', '/healthz').then(since),
        other.post(messages, { text: 'hello' }).then(since),
      ]);
      longest = Math.max(longest, ...times);
    }
    return longest;
  };
  const longest = run();
  return () => {
    isOver = true;
    return longest;
  };
}
