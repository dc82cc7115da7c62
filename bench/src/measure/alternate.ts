/** Runs one block of at most a hundred operations and tells its measure (a rate, a time). */
export type Block<T = number> = () => T | Promise<T>;

/** What ours and the peer measured right after each other. */
export interface Pair<T = number> {
  readonly ours: T;
  readonly peer: T;
}

export interface Extent {
  readonly pairs: number;
  /** No further pair is begun after this time. */
  readonly seconds: number;
  /** Pairs that are run and not counted: code that runs for days is not measured cold. */
  readonly warmUp?: number;
  /** Awaited after every block of ours, in nobody's time: what it left to be done is done then. */
  readonly settle?: () => Promise<unknown>;
}

const LEAST_PAIRS = 3;

/**
 * Alternating blocks: what disturbs the machine disturbs both sides of a pair, so the ratio of a
 * pair means something where a rate does not. Who goes first changes from pair to pair.
 */
export async function alternate<T>(
  measureOurs: Block<T>,
  peer: Block<T>,
  { pairs, seconds, warmUp = 1, settle }: Extent,
): Promise<Pair<T>[]> {
  const ours: Block<T> = async () => {
    const measure = await measureOurs();
    await settle?.();
    return measure;
  };
  for (let i = 0; i < warmUp; i++) {
    await ours();
    await peer();
  }
  const measured: Pair<T>[] = [];
  const deadline = performance.now() + seconds * 1000;
  while (measured.length < pairs) {
    if (measured.length >= LEAST_PAIRS && performance.now() > deadline) break;
    if (measured.length % 2 === 0) {
      const first = await ours();
      measured.push({ ours: first, peer: await peer() });
    } else {
      const first = await peer();
      measured.push({ peer: first, ours: await ours() });
    }
  }
  return measured;
}

/** A block measured as operations per second. */
export function perSecond(operations: number, body: () => unknown): Block {
  return async () => {
    const started = performance.now();
    await body();
    return (operations * 1000) / (performance.now() - started);
  };
}

/** A block measured as milliseconds per operation. */
export function millisecondsEach(operations: number, body: () => unknown): Block {
  return async () => {
    const started = performance.now();
    await body();
    return (performance.now() - started) / operations;
  };
}
