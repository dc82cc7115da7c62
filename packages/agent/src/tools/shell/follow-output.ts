import { type DroppedBytes, OutputReader } from './output-range.js';

const CHUNK_BYTES = 64 * 1024;
const POLL_MS = 100;

export interface FollowedBytes {
  readonly offset: number;
  readonly bytes: Buffer;
  /** Printed before them and dropped before they could be read. */
  readonly dropped?: DroppedBytes;
}

export interface FollowOptions {
  readonly from?: number;
  /** Whether nothing more will be printed; looked at before each last look. */
  readonly isWhole: () => boolean | Promise<boolean>;
  readonly signal?: AbortSignal;
  readonly pollMs?: number;
}

/**
 * What is printed, as it is printed, until it is whole or the signal aborts. Every byte comes once and in
 * order; what the limit of the disk took before it was read is said where it is missing.
 */
export async function* followOutput(
  path: string,
  { from = 0, isWhole, signal, pollMs = POLL_MS }: FollowOptions,
): AsyncGenerator<FollowedBytes, void, undefined> {
  const reader = new OutputReader(path, from);
  try {
    while (signal?.aborted !== true) {
      // Asked before the look: what was printed until then is found by it.
      const isLast = await isWhole();
      const { bytes, dropped } = await reader.read(CHUNK_BYTES);
      if (bytes.length > 0 || dropped) {
        const offset = reader.offset - bytes.length;
        yield { offset, bytes, ...(dropped ? { dropped } : {}) };
      } else if (isLast) return;
      else await pause(pollMs, signal);
    }
  } finally {
    await reader.close();
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted === true) done();
  });
}
