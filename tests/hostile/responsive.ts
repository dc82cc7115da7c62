import { type Caller, call, type TestDaemon } from '@stoa/testkit';

/** What the cases call responsive, for `GET /healthz` and for a post of another person. */
export const RESPONSIVE_MS = 250;

/** A daemon, with another person and where that person posts. */
export interface Probed {
  readonly daemon: Pick<TestDaemon, 'url'>;
  readonly other: Caller;
  readonly messages: string;
}

/** Does the work, and meanwhile asks for /healthz and posts as another person, again and again. */
export async function whileProbed<T>(
  probed: Probed,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly longestMs: number }> {
  const stop = probe(probed);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await stop();
    throw error;
  }
  return { result, longestMs: await stop() };
}

/** Returns the function that ends the probing and reports the longest time. */
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
